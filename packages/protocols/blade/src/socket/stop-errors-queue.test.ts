import { calls, createAgentTool, createFakeTool, finishes, hangs, says } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { asks, createAskTool } from '../test-support/ask-tool.ts'
import { createScripts } from '../test-support/create-scripts.ts'
import { findBreaches } from '../test-support/find-breaches.ts'
import { openTestDoor } from '../test-support/open-test-door.ts'

const FAILED = { type: 'failed', error: { code: 'overloaded', message: 'The model is down.' } } as const

/** A run whose model has said something and then says no more. */
async function hang() {
  const door = await openTestDoor({ tools: [createFakeTool('t')] })
  door.model.push([says('half a '), hangs])
  const sessionId = await door.session()
  const client = await door.client({ isLean: false })
  await client.send(sessionId, 'go')
  await client.until('turn:patch')
  const status = async () => (await door.engine.readSession(door.user, sessionId)).lastOutcome
  return { door, client, sessionId, status }
}

describe('stopping', () => {
  it('blade 89: ends the turn with the text that it had, and then the run', async () => {
    const { client, sessionId, status } = await hang()
    expect(await client.stop(sessionId)).toEqual({ status: 'ok' })
    await client.until('chat:end')
    expect(client.of('turn:end').at(-1)).toMatchObject({
      status: 'interrupted',
      blocks: [{ type: 'text', content: 'half a ' }],
    })
    expect(client.of('chat:end')).toEqual([
      { session_id: sessionId, status: 'interrupted', result: null, finish_reason: null },
    ])
    expect(await status()).toBe('cancelled')
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 90: cancels the calls that run', async () => {
    const running = Promise.withResolvers<AbortSignal>()
    const slow = createFakeTool('slow', {
      run: ({ signal }) => {
        running.resolve(signal)
        return new Promise(() => undefined)
      },
    })
    const door = await openTestDoor({ tools: [slow] })
    door.model.push([calls('a', 'slow'), finishes('tool-calls')])
    const sessionId = await door.session()
    const client = await door.client()
    await client.send(sessionId, 'go')
    const signal = await running.promise
    await client.stop(sessionId)
    await client.until('chat:end')
    expect(signal.aborted).toBe(true)
    expect(client.story().slice(5, 9)).toEqual([
      'set_tool_status a cancelled',
      'set_status interrupted',
      'turn:end assistant interrupted',
      'chat:end interrupted/null',
    ])
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 91: an idle session is accepted and sends nothing', async () => {
    const door = await openTestDoor()
    const sessionId = await door.session()
    const client = await door.client()
    await client.subscribe(sessionId)
    expect(await client.stop(sessionId)).toEqual({ status: 'ok' })
    expect(await client.unsubscribe(sessionId)).toEqual({ status: 'ok' })
    expect(client.told).toEqual([])
  })

  it('blade 92: ends the turns of a sub-agent before that of its parent', async () => {
    const model = createScripts({
      go: [[calls('p', 'Agent', { description: 'd', prompt: 'wait' }), finishes('tool-calls')]],
      wait: [[says('I am '), hangs]],
    })
    const door = await openTestDoor({ model, tools: [createAgentTool()] })
    const sessionId = await door.session({ preset: 'full-access' })
    const client = await door.client()
    await client.send(sessionId, 'go')
    await client.untilStory('add_content text')
    await client.stop(sessionId)
    await client.until('chat:end')
    const ended = client.of('turn:end').slice(1)
    expect(ended.map((turn) => [turn.parent_fork_tool_call_id, turn.status])).toEqual([
      ['p', 'interrupted'],
      [null, 'interrupted'],
    ])
    expect(ended[1]?.tool_calls).toMatchObject([{ id: 'p', status: 'cancelled' }])
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 93: a session that waits cancels the question and reports its status, without another end', async () => {
    const door = await openTestDoor({ tools: [createAskTool()] })
    door.model.push([asks('q'), finishes('tool-calls')])
    const sessionId = await door.session({ title: 'Mine' })
    const client = await door.client()
    await client.say(sessionId, 'go')
    const before = client.told.length
    expect(await client.stop(sessionId)).toEqual({ status: 'ok' })
    await client.until('session:updated')
    expect(client.story().slice(before)).toEqual([
      'set_tool_status q cancelled',
      'set_status interrupted',
      'turn:end assistant interrupted',
      'session:updated',
    ])
    expect(client.of('session:updated')).toEqual([{ session_id: sessionId, status: 'interrupted' }])
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 94: leaves a session that can be continued', async () => {
    const { client, sessionId, door } = await hang()
    await client.stop(sessionId)
    await client.until('chat:end')
    door.model.push([FAILED])
    await client.say(sessionId, 'go on')
    await client.say(sessionId, 'and again')
    expect(client.of('chat:end').map(({ status }) => status)).toEqual(['interrupted', 'failed', 'completed'])
    expect(client.state(sessionId).turns).toEqual(await door.messages(sessionId))
  })
})

describe('a failure', () => {
  it('blade 95: is sent as the end of the turn, the error, the end of the run', async () => {
    const door = await openTestDoor()
    door.model.push([says('half'), FAILED])
    const client = await door.client({ isLean: false })
    await client.say(await door.session(), 'go')
    expect(client.story().slice(4, 10)).toEqual([
      'add_content text',
      'add_content system_notification',
      'set_status failed',
      'turn:end assistant failed',
      'system:error',
      'chat:end failed/null',
    ])
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 96: says what happened, where, and by which name', async () => {
    const door = await openTestDoor()
    door.model.push([FAILED])
    const client = await door.client()
    const sessionId = await door.session()
    await client.say(sessionId, 'go')
    expect(client.of('system:error')).toEqual([
      { message: 'The model is down.', session_id: sessionId, code: 'llm_error', detail: 'overloaded' },
    ])
  })

  it('blade 97: a message to no session is refused to its sender alone', async () => {
    const door = await openTestDoor()
    const [client, other] = [await door.client(), await door.client()]
    const ack = await client.send('00000000-0000-7000-8000-00000000dead', 'hi')
    expect(ack).toEqual({ status: 'error', code: 'session_not_found', message: 'there is no such session' })
    await client.until('system:error')
    await other.unsubscribe('x')
    expect(client.story()).toEqual(['system:error'])
    expect(client.of('system:error')).toMatchObject([{ code: 'session_not_found' }])
    expect(other.told).toEqual([])
  })

  it('blade 98: that ends nothing is a notification, and the run completes', async () => {
    const model = createScripts({ go: [] })
    const door = await openTestDoor({ model, maxSteps: 0 })
    const client = await door.client()
    await client.say(await door.session(), 'go')
    expect(client.of('system:notification')).toMatchObject([{ status: 'warning' }])
    expect(client.of('system:error')).toEqual([])
    expect(client.of('chat:end')).toMatchObject([{ status: 'completed' }])
  })
})

describe('the queue', () => {
  it('blade 99: takes a message while a run is under way, and runs it after', async () => {
    const { client, sessionId, door } = await hang()
    const ack = await client.send(sessionId, 'and then')
    expect(ack).toMatchObject({ status: 'ok', queued: true, position: 1 })
    const { turnId } = await door.engine.readSession(door.user, sessionId)
    const cancel = { type: 'cancel-turn', userId: door.user, sessionId, reason: 'user', dropQueue: false } as const
    await door.engine.execute({ ...cancel, ...(turnId && { turnId }) })
    await client.until('chat:end', 2)
    const story = client.story()
    expect(story.lastIndexOf('chat:start')).toBeGreaterThan(story.indexOf('chat:end interrupted/null'))
    expect(client.of('chat:start')[1]).toEqual({ session_id: sessionId, run_id: ack.status === 'ok' ? ack.run_id : '' })
    expect(findBreaches(client.told, { sequence: 0 })).toEqual([])
  })

  it('blade 100: refuses the ninth', async () => {
    const { client, sessionId } = await hang()
    const acks = await Promise.all(Array.from({ length: 9 }, (_, index) => client.send(sessionId, `later ${index}`)))
    expect(acks.slice(0, 8).map((ack) => ack.status === 'ok' && ack.position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(acks[8]).toMatchObject({ status: 'error', code: 'queue_full' })
  })

  it('blade 101: is dropped by a stop', async () => {
    const { client, sessionId, door } = await hang()
    await client.send(sessionId, 'and then')
    await client.stop(sessionId)
    await client.until('chat:end')
    expect((await door.engine.readSession(door.user, sessionId)).queued).toBe(0)
    await client.say(sessionId, 'fresh')
    const said = client.of('turn:end').filter(({ role }) => role === 'user')
    expect(said.map(({ blocks }) => blocks[0]?.content)).toEqual(['go', 'fresh'])
  })

  it('blade 101, 155: notifies the sender of a dropped message by its run, whether or not it stopped the run', async () => {
    const { client, sessionId, door } = await hang()
    const [sender, guest] = [await door.client(), await door.client({ token: 'ben' })]
    const changes = { isShared: true }
    await door.engine.execute({ type: 'configure-session', userId: door.user, sessionId, changes })
    await guest.subscribe(sessionId)
    const acks = [await sender.send(sessionId, 'one'), await sender.send(sessionId, 'two')]
    // Whoever looks at another session meanwhile is told too.
    await sender.unsubscribe(sessionId)
    await client.stop(sessionId)
    await sender.until('system:notification', 2)
    expect(sender.of('system:notification')).toMatchObject(
      acks.map((ack) => ({
        session_id: sessionId,
        run_id: ack.status === 'ok' ? ack.run_id : '',
        notification_type: 'message_dropped',
        status: 'warning',
      })),
    )
    await client.until('chat:end')
    expect(client.of('system:notification')).toHaveLength(2)
    await guest.until('chat:end')
    expect(guest.of('system:notification')).toHaveLength(2)
  })

  it('blade 101: notifies a sender who was away of a dropped message', async () => {
    const { client, sessionId, door } = await hang()
    const sender = await door.client()
    const ack = await sender.send(sessionId, 'one')
    const gone = new Promise((resolve) => sender.socket.once('disconnect', resolve))
    sender.socket.io.engine.close()
    await gone
    await client.stop(sessionId)
    await client.until('chat:end')
    await sender.until('system:notification')
    expect(sender.of('system:notification')).toMatchObject([{ run_id: ack.status === 'ok' ? ack.run_id : '' }])
  })

  it('is not for answers', async () => {
    const { client, sessionId } = await hang()
    const answer = { tool_call_id: 'q', selections: { '0': [0] }, custom: {} }
    expect(await client.answer(sessionId, answer)).toMatchObject({ code: 'no_pending_question' })
  })
})
