import { createFakeModel, createMemoryEventStore, createTestIds, finishes, says, thinks } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { toTurn } from '../fold/session-fold.ts'
import { toSession } from '../rest/encode-session.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'
import { systemClock } from '../test-support/system-clock.ts'

async function chat(isLean = false) {
  const door = await openTestDoor()
  door.model.push([thinks('let me '), thinks('see'), says('hello '), says('big '), says('world'), finishes()])
  const sessionId = await door.session()
  const client = await door.client({ isLean })
  await client.subscribe(sessionId)
  await client.say(sessionId, 'hi there')
  const [user, assistant] = client.of('turn:end')
  if (user === undefined || assistant === undefined) throw new Error('a chat has two turns')
  return { door, client, sessionId, user, assistant }
}

describe('a plain chat', () => {
  it('blade 38: is sent in this order', async () => {
    const { client } = await chat()
    const patches = client.story().filter((line) => line.startsWith('add_content'))
    expect(client.story().filter((line) => !line.startsWith('add_content'))).toEqual([
      'chat:start',
      'turn:start user completed',
      'turn:end user completed',
      'turn:start assistant streaming',
      'set_status completed',
      'turn:end assistant completed',
      'chat:end completed/completed',
      'session:updated',
    ])
    expect(client.story().slice(4, 4 + patches.length)).toEqual(patches)
  })

  it('blade 39: shows what the user said as one text block', async () => {
    const { user } = await chat()
    expect(user).toMatchObject({ role: 'user', status: 'completed' })
    expect(user.blocks).toEqual([
      { type: 'text', content: 'hi there', tool_call_id: null, tool_name: null, display_name: null },
    ])
  })

  it('blade 40: begins the answer empty and streaming', async () => {
    const { client } = await chat()
    expect(client.of('turn:start')[1]).toMatchObject({ status: 'streaming', blocks: [], tool_calls: [] })
  })

  it('blade 41: streams exactly the final text', async () => {
    const { client, assistant } = await chat()
    const deltas = client
      .of('turn:patch')
      .flatMap((patch) => (patch.patch_type === 'add_content' ? [patch.data] : []))
      .filter(({ type }) => type === 'text')
    expect(deltas.map(({ text_delta }) => text_delta).join('')).toBe('hello big world')
    expect(assistant.blocks[1]).toMatchObject({ type: 'text', content: 'hello big world' })
  })

  it('blade 42: gives the block so far with each delta, but not to lean clients', async () => {
    const contents = async (isLean: boolean) => {
      const { client } = await chat(isLean)
      return client
        .of('turn:patch')
        .flatMap((patch) => (patch.patch_type === 'add_content' ? [patch.data.content] : []))
    }
    const [plain, lean] = [await contents(false), await contents(true)]
    expect(plain[0]).toBe('let me ')
    expect(plain.at(-1)).toBe('hello big world')
    expect(lean.every((content) => content === undefined)).toBe(true)
  })

  it('blade 43: ends a turn with all its fields', async () => {
    const { assistant } = await chat()
    expect(Object.keys(assistant).toSorted()).toEqual(
      [
        'blocks context_window duration_ms id kind loop_id memory_refs model parent_fork_tool_call_id role sequence',
        'session_id solution_id started_at status template_id tool_calls turn_id usage',
      ]
        .join(' ')
        .split(' '),
    )
    expect(assistant).toMatchObject({ solution_id: 'tester', template_id: null })
    expect(assistant.usage).toEqual({ input_tokens: 1, output_tokens: 1 })
    expect(assistant.duration_ms).toBeGreaterThanOrEqual(0)
    expect(assistant.id).toMatch(/^entry_/)
    expect(assistant.turn_id).toBe(`turn_${assistant.id.slice('entry_'.length)}`)
  })

  it('blade 44: numbers the turns of a session without gaps', async () => {
    const { door, client, sessionId } = await chat()
    await client.say(sessionId, 'again')
    expect((await door.messages(sessionId)).map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3])
  })

  it('blade 45: numbers patches from 1, over runs and orderly restarts', async () => {
    const [store, ids] = [createMemoryEventStore({ clock: systemClock }), createTestIds()]
    const first = await openTestDoor({ store, ids })
    const sessionId = await first.session()
    const told = []
    const client = await first.client()
    first.model.push([says('a '), says('b'), finishes()])
    await client.say(sessionId, 'one')
    await client.say(sessionId, 'two')
    told.push(...client.told)
    await first.close()
    const second = await openTestDoor({ store, ids })
    const later = await second.client()
    await later.subscribe(sessionId)
    await later.say(sessionId, 'three')
    told.push(...later.told)
    expect(findBreaches(told, { sequence: 0 })).toEqual([])
  })

  it('blade 46: addresses every patch', async () => {
    const { client, sessionId, assistant } = await chat()
    const fields = ['data', 'loop_id', 'patch_type', 'sequence', 'session_id', 'turn_id']
    for (const patch of client.of('turn:patch')) {
      expect(Object.keys(patch).toSorted()).toEqual(fields)
      expect(patch).toMatchObject({ session_id: sessionId, loop_id: 'root', turn_id: assistant.turn_id })
    }
  })

  it('blade 47: includes the folded turn in each patch', async () => {
    const { client } = await chat()
    expect(client.of('turn:patch').every(({ data }) => data.turn !== undefined)).toBe(true)
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
    expect((await chat(true)).client.of('turn:patch').every(({ data }) => data.turn === undefined)).toBe(true)
  })

  it('blade 48: folds to the state in its end events', async () => {
    const { client } = await chat(true)
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 49: has its history complete when the run has ended', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    const read = Promise.withResolvers<Awaited<ReturnType<typeof door.messages>>>()
    client.listen(({ event }) => {
      if (event === 'chat:end') door.messages(sessionId).then(read.resolve, read.reject)
    })
    await client.say(sessionId, 'hi')
    expect(await read.promise).toEqual(client.of('turn:end').map(toTurn))
  })

  it('blade 50: shows the final status when the run has ended', async () => {
    const { door, sessionId } = await chat()
    const view = await door.engine.readSession(door.user, sessionId)
    expect(toSession(view, { find: () => undefined }).status).toBe('completed')
  })

  it('blade 51: takes a message that is sent when the run has just ended', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    const acked = Promise.withResolvers<unknown>()
    client.socket.once('chat:end', () => void client.send(sessionId, 'and now').then(acked.resolve))
    await client.send(sessionId, 'hi')
    await client.until('chat:end', 2)
    expect(await acked.promise).toMatchObject({ status: 'ok', queued: false })
  })

  it('blade 52: ends as completed, without a result', async () => {
    const { client, sessionId } = await chat()
    expect(client.of('chat:end')).toEqual([
      { session_id: sessionId, status: 'completed', result: null, finish_reason: 'completed' },
    ])
  })

  it('blade 53: shows thoughts as blocks before the text', async () => {
    const { assistant } = await chat()
    expect(assistant.blocks.map(({ type, content }) => [type, content])).toEqual([
      ['thinking', 'let me see'],
      ['text', 'hello big world'],
    ])
  })

  it('blade 54: takes its title from the first message and reports it', async () => {
    const { client, door, sessionId } = await chat()
    await client.until('session:updated')
    expect(client.of('session:updated')).toEqual([{ session_id: sessionId, intent: 'hi there' }])
    expect((await door.engine.readSession(door.user, sessionId)).title).toBe('hi there')
    const long = await door.session()
    await client.say(long, `  ${'very '.repeat(30)}long  `)
    await client.until('session:updated', 2)
    const { title } = await door.engine.readSession(door.user, long)
    expect(client.of('session:updated')[1]).toEqual({ session_id: long, intent: title })
  })

  it('keeps a title that it was given', async () => {
    const door = await openTestDoor()
    const client = await door.client()
    const sessionId = await door.session({ title: 'Mine' })
    await client.say(sessionId, 'hi')
    await client.say(sessionId, 'again')
    expect(client.of('session:updated')).toEqual([])
  })

  it('blade 55: uses the model that a message names, for that run alone', async () => {
    const other = createFakeModel([says('it is me'), finishes()])
    const models = {
      find: (name: string) => (name === 'fake/other' ? { model: other, modelName: 'fake/other' } : undefined),
    }
    const door = await openTestDoor({ models })
    const client = await door.client()
    const sessionId = await door.session()
    await client.say(sessionId, 'hi', { model: 'fake/other' })
    await client.say(sessionId, 'again')
    const answers = client.of('turn:end').filter(({ role }) => role === 'assistant')
    expect(answers.map(({ model }) => model)).toEqual(['fake/other', 'fake/model'])
    expect(await client.send(sessionId, 'hi', { model: 'fake/unknown' })).toMatchObject({ code: 'invalid_payload' })
  })

  it('knows a message again by its id', async () => {
    const door = await openTestDoor()
    const client = await door.client()
    const sessionId = await door.session()
    const first = await client.say(sessionId, 'hi', { client_message_id: 'm1' })
    expect(await client.send(sessionId, 'hi', { client_message_id: 'm1' })).toEqual(first)
    expect(await client.send(sessionId, 'other', { client_message_id: 'm1' })).toMatchObject({
      code: 'invalid_payload',
    })
    expect(client.of('chat:start')).toHaveLength(1)
  })
})
