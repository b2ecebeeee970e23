import type { Recorded, SessionId } from '@polylogue/engine'
import {
  calls,
  createAgentTool,
  createFakeParts,
  createFakeTool,
  finishes,
  loadAcpFrameChecker,
  says,
  thinks,
  untilQuiet,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import type { ConnectOptions, WorldOptions } from '../test-support/open-world.ts'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))
const profiles = ['standard', 'seed'] as const

async function openSession(options: WorldOptions = {}, connect: ConnectOptions = {}) {
  const world = open(options)
  const connected = await world.connect(connect)
  return { ...world, ...connected, sessionId: (await connected.newSession()) as SessionId }
}

describe.each(profiles)('the output of the model, in profile %s,', (profile) => {
  it('acp 82: is sent as chunks that make up the answer', async () => {
    const { client, sessionId, say, model, clock } = await openSession({}, { profile })
    const step = Promise.withResolvers<void>()
    model.push([says('one '), says('two '), () => step.promise, says('three'), finishes()])
    const answered = say(sessionId, 'count')
    await client.untilUpdate(({ content }) => content?.text === 'one ')
    clock.advance(16)
    await client.untilUpdate(({ content }) => content?.text === 'two ')
    step.resolve()
    await answered
    expect(client.text()).toBe('one two three')
  })

  it('acp 82a: includes thoughts as thought chunks', async () => {
    const { client, sessionId, say, model } = await openSession({}, { profile })
    model.push([thinks('I '), thinks('wonder'), says('yes'), finishes()])
    await say(sessionId, 'go')
    expect(client.text('agent_thought_chunk')).toBe('I wonder')
    expect(client.text()).toBe('yes')
  })

  it('acp 82b: includes a model failure as a thought before the prompt is answered', async () => {
    const { client, sessionId, say, model } = await openSession({}, { profile })
    model.push([says('half'), { type: 'failed', error: { code: 'overloaded', message: 'The model is busy.' } }])
    const { error } = await say(sessionId, 'go')
    expect(error.code).toBe(-32603)
    expect(client.text('agent_thought_chunk')).toBe('Error: The model is busy.')
    expect(client.text()).toBe('half')
  })

  it('acp 82c: includes input from another door and the answer to it', async () => {
    const { client, sessionId, model, engine, user, clock } = await openSession({}, { profile })
    model.push([says('to you too'), finishes()])
    const content = '<system-reminder>x</system-reminder>good morning'
    await engine.execute({ type: 'start-turn', userId: user, sessionId, content, whenRunning: 'queue' })
    await client.untilUpdate(({ content: chunk }) => chunk?.text === 'to you too')
    clock.advance(100)
    expect(client.kinds()).toEqual([
      'available_commands_update',
      'session_info_update',
      'user_message_chunk',
      'agent_message_chunk',
    ])
    expect(client.text('user_message_chunk')).toBe('good morning')
  })
})

describe('a message', () => {
  it('acp 83: has one id in all its chunks, and the next one has another', async () => {
    const { client, sessionId, say, model, clock } = await openSession({ tools: [createFakeTool('look')] })
    const pause = () => clock.advance(20)
    model.push(
      [says('a'), pause, says('b'), pause, says('c'), calls('c1', 'look'), finishes('tool-calls')],
      [says('d'), pause, says('e'), finishes()],
    )
    await say(sessionId, 'go')
    const said = client.updates().flatMap((update) => {
      return update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [[update.content.text, update.messageId] as const]
        : []
    })
    const ids = new Map(said)
    expect(said.length).toBeGreaterThan(3)
    expect(ids.get('a')).toBe(ids.get('c'))
    expect(ids.get('d')).toBe(ids.get('e'))
    expect(ids.get('a')).not.toBe(ids.get('d'))
  })
})

describe('live notifications', () => {
  it('acp 91: report the context usage, which falls after a compaction', async () => {
    const capabilities = { session: { compaction: {} } }
    const { client, sessionId, say, model } = await openSession({ contextWindow: 1_000 }, { capabilities })
    const usage = (inputTokens: number) =>
      ({ type: 'finished', finish: 'stop', usage: { inputTokens, outputTokens: 10 } }) as const
    model.push([says('a'.repeat(2_000)), usage(400)], [says('b'.repeat(2_000)), usage(800)])
    await say(sessionId, 'one '.repeat(100))
    await say(sessionId, 'two '.repeat(100))
    model.push([says('in short'), finishes()])
    expect(await say(sessionId, '/compact')).toMatchObject({ result: { stopReason: 'end_turn' } })
    const used = client.updates().flatMap((update) => (update.sessionUpdate === 'usage_update' ? [update] : []))
    expect(used.slice(0, 2)).toEqual([
      { sessionUpdate: 'usage_update', used: 410, size: 1_000 },
      { sessionUpdate: 'usage_update', used: 810, size: 1_000 },
    ])
    expect(used).toHaveLength(3)
    expect(used[2]?.used).toBeLessThan(810)
    const compactions = client.updates().filter(({ sessionUpdate }) => sessionUpdate === 'compaction_update')
    expect(compactions).toMatchObject([{ status: 'in_progress' }, { status: 'completed', summary: [{ type: 'text' }] }])
    expect(client.text()).toMatch(/Compacted/)
  })

  it('acp 92: leave out updates that the client does not support', async () => {
    const world = open({
      contextWindow: 1_000,
      sessionServers: { open: async (_id, _servers, problem) => problem('no'), close: async () => undefined },
    })
    const { client, newSession, say } = await world.connect({ capabilities: { session: { notices: null } } })
    const sessionId = await newSession()
    world.model.push([says('a'.repeat(2_000)), finishes()], [says('b'.repeat(2_000)), finishes()])
    await say(sessionId, 'one '.repeat(100))
    await say(sessionId, 'two '.repeat(100))
    await say(sessionId, '/compact')
    expect(client.kinds().filter((kind) => /notice|compaction/.test(kind))).toEqual([])
  })

  it('acp 93, 94: every frame fits the official schema, and updates have no keys of our own', async () => {
    const check = await loadAcpFrameChecker()
    const update = (more: object) => ({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's', update: more },
    })
    const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } }
    expect(check.received(update(chunk))).toBeUndefined()
    // The check itself: it must be able to fail, or the frames of all other tests prove nothing.
    expect(check.received(update({ ...chunk, schema_version: 1 }))).toBe('agent_message_chunk has no schema_version')
    expect(check.received(update({ ...chunk, content: { type: 'text' } }))).toMatch(/SessionNotification/)
    expect(check.received(update({ sessionUpdate: 'plan', entries: [{ content: 'x' }] }))).toMatch(
      /SessionNotification/,
    )
    expect(check.received({ jsonrpc: '2.0', id: 1, method: 'session/ask', params: {} })).toBe('unknown: session/ask')
    check.sent({ id: 7, method: 'session/prompt' })
    expect(check.received({ jsonrpc: '2.0', id: 7, result: { stopReason: 'done' } })).toMatch(/PromptResponse/)
    expect(check.received({ jsonrpc: '2.0', id: 8, error: { message: 'x' } })).toMatch(/Error/)
  })

  it('a session is named after its first input', async () => {
    const { client, sessionId, say, engine, user } = await openSession()
    await say(sessionId, '  Why is\nthe sky blue? '.padEnd(100, 'x'))
    await say(sessionId, 'and the sea?')
    await engine.execute({ type: 'configure-session', userId: user, sessionId, changes: { title: 'Colours' } })
    await client.untilUpdate(({ title }) => title === 'Colours')
    const titles = client
      .updates()
      .flatMap((update) => (update.sessionUpdate === 'session_info_update' ? [update.title] : []))
    expect(titles).toEqual([expect.stringMatching(/^Why is the sky blue\? x+…$/), 'Colours'])
  })

  it('the title of a session has the names of files, not their text', async () => {
    const { client, sessionId, engine, user } = await openSession()
    const file = { uri: 'file:///w/src/parse.ts', text: 'export const secret = 1' }
    const prompt = [
      { type: 'text', text: 'Why does' },
      { type: 'resource', resource: file },
      { type: 'text', text: 'not use' },
      { type: 'resource_link', uri: 'file:///w/read.ts', name: 'read.ts' },
    ]
    await client.result('session/prompt', { sessionId, prompt })
    await client.result('session/prompt', { sessionId, prompt: prompt.toReversed() })
    expect((await engine.readSession(user, sessionId)).title).toBe('Why does parse.ts not use read.ts')
    const titles = client
      .updates()
      .flatMap((update) => (update.sessionUpdate === 'session_info_update' ? [update.title] : []))
    expect(titles).toEqual(['Why does parse.ts not use read.ts'])
  })

  it('a sub-agent is shown by its start, its end and its calls, but not its text', async () => {
    const { client, sessionId, say, model } = await openSession({ tools: [createFakeTool('look'), createAgentTool()] })
    model.push(
      [calls('c1', 'Agent', { description: 'find it', prompt: 'find' }), finishes('tool-calls')],
      [says('secret words'), calls('c2', 'look'), finishes('tool-calls')],
      [says('found'), finishes()],
    )
    await say(sessionId, 'go')
    expect(client.text('agent_thought_chunk')).toBe(
      '[sub-agent started: tester] find it[sub-agent finished: tester (finished, 2 turns)]',
    )
    expect(client.text()).toBe('done')
    const toolCalls = client
      .updates()
      .flatMap((update) => (update.sessionUpdate === 'tool_call' ? [update.toolCallId] : []))
    expect(toolCalls).toEqual(['c1', 'c2'])
  })

  it('the plan of a sub-agent is a call like others: the plan of the agent stays', async () => {
    const plan = createFakeTool('TodoWrite', { kind: 'plan' })
    const { client, sessionId, say, model, connect, cwd } = await openSession({ tools: [plan, createAgentTool()] })
    const write = (id: string, content: string) => calls(id, 'TodoWrite', { todos: [{ content, status: 'pending' }] })
    model.push(
      [write('c1', 'mine'), finishes('tool-calls')],
      [calls('c2', 'Agent', { description: 'find it', prompt: 'find' }), finishes('tool-calls')],
      [write('c3', 'its own'), finishes('tool-calls')],
      [says('found'), finishes()],
    )
    await say(sessionId, 'go')
    const later = await connect()
    await later.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    for (const each of [client, later.client]) {
      const plans = each.updates().flatMap((update) => (update.sessionUpdate === 'plan' ? [update.entries] : []))
      expect(plans).toMatchObject([[{ content: 'mine' }]])
      const shown = each.updates().find((update) => 'toolCallId' in update && update.toolCallId === 'c3')
      expect(shown).toMatchObject({ sessionUpdate: 'tool_call', kind: 'think' })
    }
  })

  it('a client that stops reading gets nothing until it reads again, and then misses nothing', async () => {
    const world = open({ limits: { outBufferBytes: 2_000 } })
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const words = Array.from({ length: 300 }, (_, index) => `word${index} `)
    world.model.push([...words.flatMap((word) => [says(word), () => world.clock.advance(20)]), finishes()])
    client.sleep()
    const ended = world.turnEnded(sessionId)
    const answered = say(sessionId, 'go')
    await ended
    client.wake()
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(client.text()).toBe(words.join(''))
    expect(client.updates().length).toBeLessThan(200)
  })

  it('a slow client gets a long history completely', async () => {
    const world = open({ limits: { outBufferBytes: 1_000 } })
    const { client, newSession, say } = await world.connect()
    const sessionId = await newSession()
    const texts = Array.from({ length: 20 }, (_, index) => `prompt ${index} `.repeat(20))
    for (const text of texts) await say(sessionId, text)
    await client.leave()
    const later = await world.connect()
    const loaded = later.client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    later.client.sleep()
    await untilQuiet()
    later.client.wake()
    await loaded
    expect(later.client.text('user_message_chunk')).toBe(texts.map((text) => text.trim()).join(''))
  })

  it('a client that sends requests and never reads is disconnected', async () => {
    const world = open({ limits: { outBufferBytes: 1_000, frameBytes: 2_000 } })
    const { client, connection } = await world.connect()
    client.sleep()
    for (let count = 0; count < 200; count += 1) client.notify('session/cancel', {})
    for (let count = 0; count < 200; count += 1) client.send({ jsonrpc: '2.0', id: count, method: 'authenticate' })
    await connection.closed
    client.wake()
    await client.leave()
    expect(client.problemOfEnd).toMatchObject({ message: 'the client does not read' })
    expect(world.logged).toContainEqual(expect.objectContaining({ message: 'a client stopped reading' }))
  })

  it('acp 58: an event that cannot be shown is skipped, and the others are sent', async () => {
    const isFirst = ({ event }: Recorded): boolean =>
      event.type === 'step.answered' && event.blocks.some((block) => block.type === 'text' && block.text === 'first')
    const breakFirst = (recorded: Recorded): Recorded =>
      isFirst(recorded) ? { ...recorded, event: { ...recorded.event, blocks: [null] } as never } : recorded
    const world = open({
      around: (engine) => ({
        ...engine,
        attach: (user, id, { after, reader }) =>
          engine.attach(user, id, {
            after,
            reader: {
              recorded: (recorded) => reader.recorded(breakFirst(recorded)),
              delta: (delta) => reader.delta(delta),
              closed: (reason) => reader.closed(reason),
            },
          }),
      }),
    })
    world.model.push([says('first'), finishes()], [says('second'), finishes()])
    const { newSession, say } = await world.connect()
    const sessionId = await newSession()
    await say(sessionId, 'one')
    await say(sessionId, 'two')
    const { client } = await world.connect()
    await client.result('session/load', { sessionId, cwd: world.cwd, mcpServers: [] })
    expect(client.text('user_message_chunk')).toBe('onetwo')
    expect(client.text()).toBe('second')
    expect(world.logged).toContainEqual(expect.objectContaining({ message: 'an event could not be sent to a client' }))
  })
})
