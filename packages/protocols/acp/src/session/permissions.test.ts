import type { SessionId } from '@polylogue/engine'
import {
  calls,
  createFakeParts,
  createFakeTool,
  createMemoryRuleStore,
  finishes,
  loadAcpFrameChecker,
  says,
} from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'
import { ClientError, NO_ANSWER } from '../test-support/wire-client.ts'

const open = usingWorlds(() => ({
  ...createFakeParts(),
  rules: createMemoryRuleStore(),
  check: loadAcpFrameChecker,
}))

const profiles = ['standard', 'seed'] as const
const selected = (optionId: unknown) => ({ outcome: { outcome: 'selected', optionId } })

/** A session whose model calls `write`, which asks. */
async function openAsking(profile: (typeof profiles)[number] = 'standard') {
  const write = createFakeTool('write', { effect: 'unsafe' })
  const look = createFakeTool('look')
  const world = open({ tools: [write, look] })
  const connected = await world.connect({ profile })
  return { ...world, ...connected, write, sessionId: (await connected.newSession()) as SessionId }
}

const statusOf = (client: Awaited<ReturnType<typeof openAsking>>['client'], id: string): unknown =>
  client.updates().findLast((update) => 'toolCallId' in update && update.toolCallId === id)

const INPUT = '```\n{\n  "a": 1\n}\n```'

it('acp 98: a tool that is always allowed in a project needs no permission in a new session there', async () => {
  const { client, sessionId, say, model, write, newSession } = await openAsking()
  client.answer('session/request_permission', () => selected('allow_always:tool-project'))
  for (const [id, session] of [
    ['c1', sessionId],
    ['c2', await newSession()],
  ] as const) {
    model.push([calls(id, 'write', { id }), finishes('tool-calls')], [says('done'), finishes()])
    await say(session, 'write')
  }
  expect(client.requests).toHaveLength(1)
  expect(write.invocations).toHaveLength(2)
})

it('offers only the narrowest scope to a client that shows all options of a kind alike', async () => {
  const world = open({ tools: [createFakeTool('write', { effect: 'unsafe' })] })
  const { client, newSession, say } = await world.connect({
    clientInfo: { name: 'CodeCompanion.nvim', version: '1.0.0' },
  })
  // As this client does: of several options of a kind, the last one has the key.
  client.answer('session/request_permission', ({ options }) =>
    selected(options.findLast(({ kind }: { kind: string }) => kind === 'allow_always').optionId),
  )
  for (const id of ['c1', 'c2']) {
    world.model.push([calls(id, 'write', { id }), finishes('tool-calls')], [says('done'), finishes()])
    await say(await newSession(), 'write')
  }
  expect(client.requests).toHaveLength(2)
  expect(client.requests[0].params.options).toEqual([
    { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'allow_always', name: 'Always allow write in this session', kind: 'allow_always' },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ])
})

describe.each(profiles)('a call that needs permission, in profile %s,', (profile) => {
  it('acp 95, 96: is presented as it was announced, with its whole input and an option for each scope', async () => {
    const { client, sessionId, say, model } = await openAsking(profile)
    client.answer('session/request_permission', () => selected('allow'))
    model.push([calls('c1', 'write', { a: 1 }), finishes('tool-calls')])
    await say(sessionId, 'write')
    const [request] = client.requests
    expect(request.id).toBeDefined()
    const { sessionUpdate: _, ...announced } =
      client.updates().find(({ sessionUpdate }) => sessionUpdate === 'tool_call') ?? {}
    expect(request.params).toEqual({
      sessionId,
      toolCall: { ...announced, content: [{ type: 'content', content: { type: 'text', text: INPUT } }] },
      options: [
        { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
        {
          optionId: 'allow_always',
          name: profile === 'seed' ? 'Always allow' : 'Always allow write in this session',
          kind: 'allow_always',
        },
        ...(profile === 'seed'
          ? []
          : [
              {
                optionId: 'allow_always:tool-project',
                name: 'Always allow write in this project',
                kind: 'allow_always',
              },
            ]),
        { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
      ],
    })
    expect(request.params.toolCall).toMatchObject({ toolCallId: 'c1', status: 'pending', rawInput: { a: 1 } })
  })

  it('acp 97: runs when it is allowed, and the next one needs permission again', async () => {
    const { client, sessionId, say, model, write } = await openAsking(profile)
    client.answer('session/request_permission', () => selected('allow'))
    model.push(
      [calls('c1', 'write', { a: 1 }), finishes('tool-calls')],
      [calls('c2', 'write', { a: 1 }), finishes('tool-calls')],
    )
    await say(sessionId, 'write')
    expect(write.invocations).toHaveLength(2)
    expect(client.requests).toHaveLength(2)
  })

  it('acp 98: needs no permission once it is always allowed, in this session only', async () => {
    const { client, sessionId, say, model, write, newSession } = await openAsking(profile)
    client.answer('session/request_permission', () => selected('allow_always'))
    const step = (id: string) =>
      model.push([calls(id, 'write', { id }), finishes('tool-calls')], [says('done'), finishes()])
    step('c1')
    await say(sessionId, 'write')
    step('c2')
    await say(sessionId, 'write')
    expect(client.requests).toHaveLength(1)
    step('c3')
    await say(await newSession(), 'write')
    expect(client.requests).toHaveLength(2)
    expect(write.invocations).toHaveLength(3)
  })

  it('acp 99: fails when it is rejected, and the turn continues', async () => {
    const { client, sessionId, say, model, write } = await openAsking(profile)
    client.answer('session/request_permission', () => selected('reject'))
    model.push([calls('c1', 'write'), finishes('tool-calls')], [says('as you like'), finishes()])
    expect(await say(sessionId, 'write')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(write.invocations).toEqual([])
    expect(client.text()).toBe('as you like')
    expect(statusOf(client, 'c1')).toMatchObject({
      status: 'failed',
      content: [{ content: { text: expect.stringContaining('the user declined; do not try') } }],
    })
  })

  it.each([
    ['cancelled', () => ({ outcome: { outcome: 'cancelled' } })],
    ['an option that nobody offered', () => selected('sudo')],
    ['a scope that nobody offered', () => selected('allow_always:program-project')],
    ['an option that is no text', () => selected(5)],
    ['nothing', () => null],
    ['an empty object', () => ({})],
    ['a text', () => 'allow'],
    ['an outcome without option', () => ({ outcome: { outcome: 'selected' } })],
    ['a bare option', () => ({ optionId: 'allow' })],
    [
      'an error',
      () => {
        throw new ClientError(-32603)
      },
    ],
  ])('acp 100: does not run when the client that started the turn answers with %s', async (_name, respond) => {
    const { client, sessionId, say, model, write } = await openAsking(profile)
    client.answer('session/request_permission', respond)
    model.push([calls('c1', 'write'), finishes('tool-calls')])
    expect(await say(sessionId, 'write')).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(write.invocations).toEqual([])
    expect(statusOf(client, 'c1')).toMatchObject({ status: 'failed' })
  })

  it('acp 102: waits for the answer to the previous call of the same step', async () => {
    const { client, sessionId, say, model, write } = await openAsking(profile)
    model.push([calls('c1', 'write', { a: 1 }), calls('c2', 'write', { a: 2 }), finishes('tool-calls')])
    const answered = say(sessionId, 'write')
    const first = await client.untilRequest('session/request_permission')
    await client.result('session/list', {})
    expect(client.requests).toHaveLength(1)
    client.send({ jsonrpc: '2.0', id: first.id, result: selected('allow') })
    const second = await client.untilRequest('session/request_permission', 2)
    expect([first, second].map(({ params }) => params.toolCall.toolCallId)).toEqual(['c1', 'c2'])
    client.send({ jsonrpc: '2.0', id: second.id, result: selected('allow') })
    await answered
    expect(write.invocations).toHaveLength(2)
  })
})

describe('answers to permission requests', () => {
  it.each([
    ['allow_once', 1],
    ['allow', 1],
    ['reject_once', 0],
    ['reject_always', 0],
  ])('the synonym %s is understood, flat or not', async (optionId, runs) => {
    const { client, sessionId, say, model, write } = await openAsking()
    const answers = [selected(optionId), { outcome: 'selected', optionId }]
    client.answer('session/request_permission', () => answers.shift())
    model.push(
      [calls('c1', 'write', { a: 1 }), finishes('tool-calls')],
      [calls('c2', 'write', { a: 2 }), finishes('tool-calls')],
    )
    await say(sessionId, 'write')
    expect(write.invocations).toHaveLength(runs * 2)
  })

  it('the first one wins at any door, and the other requests are withdrawn', async () => {
    const world = await openAsking()
    const { client, sessionId, say, model, write, engine, user, cwd } = world
    model.push([calls('c1', 'write'), finishes('tool-calls')])
    const second = await world.connect()
    await second.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    const answered = say(sessionId, 'write')
    const [mine, theirs] = await Promise.all([
      client.untilRequest('session/request_permission'),
      second.client.untilRequest('session/request_permission'),
    ])
    second.client.send({ jsonrpc: '2.0', id: theirs.id, result: selected('allow') })
    await client.until(({ method, params }) => method === '$/cancel_request' && params.requestId === mine.id)
    client.send({ jsonrpc: '2.0', id: mine.id, result: selected('reject') })
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(write.invocations).toHaveLength(1)
    expect(second.client.frames.filter(({ method }) => method === '$/cancel_request')).toEqual([])

    model.push([calls('c2', 'write'), finishes('tool-calls')])
    const again = say(sessionId, 'write')
    const asked = await Promise.all(
      [client, second.client].map((each) => each.untilRequest('session/request_permission', 2)),
    )
    const answers = [{ type: 'approval', toolCallId: 'c2' as never, granted: true }] as const
    await engine.execute({ type: 'answer-calls', userId: user, sessionId, answers, whenRunning: 'accept' })
    await again
    for (const [index, each] of [client, second.client].entries()) {
      await each.until(({ method, params }) => method === '$/cancel_request' && params.requestId === asked[index].id)
    }
    expect(write.invocations).toHaveLength(2)
  })

  it('a malformed one from another client is ignored', async () => {
    const world = await openAsking()
    const { client, sessionId, say, model, write, cwd } = world
    model.push([calls('c1', 'write'), finishes('tool-calls')])
    const second = await world.connect()
    const nonsense = [() => 'nonsense', () => ({ outcome: { outcome: 'cancelled' } })]
    second.client.answer('session/request_permission', () => (nonsense.shift() ?? (() => NO_ANSWER))())
    await second.client.result('session/load', { sessionId, cwd, mcpServers: [] })
    const answered = say(sessionId, 'write')
    const { id } = await client.untilRequest('session/request_permission')
    await second.client.untilRequest('session/request_permission')
    await second.client.result('session/list', {})
    client.send({ jsonrpc: '2.0', id, result: selected('allow') })
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(write.invocations).toHaveLength(1)
  })

  it('open requests are sent to a client that opens the session later', async () => {
    const world = await openAsking()
    const { client, sessionId, say, model, write, cwd } = world
    model.push([calls('c1', 'write'), finishes('tool-calls')])
    const answered = say(sessionId, 'write')
    await client.untilRequest('session/request_permission')
    const second = await world.connect()
    second.client.answer('session/request_permission', () => selected('allow'))
    await second.client.result('session/resume', { sessionId, cwd })
    expect(await answered).toMatchObject({ result: { stopReason: 'end_turn' } })
    expect(write.invocations).toHaveLength(1)
    const order = second.client.frames.map(
      ({ method, result }) => method ?? Object.keys(result ?? {}).includes('modes'),
    )
    expect(order.indexOf(true)).toBeLessThan(order.indexOf('session/request_permission'))
  })

  it('a client that leaves decides nothing in a turn that continues without it', async () => {
    const write = createFakeTool('write', { effect: 'unsafe' })
    const world = open({ tools: [write] })
    world.model.push([calls('c1', 'write'), finishes('tool-calls')])
    const first = await world.connect({ recovery: 'continue' })
    const sessionId = (await first.newSession()) as SessionId
    void first.say(sessionId, 'write').catch(() => undefined)
    await first.client.untilRequest('session/request_permission')
    await first.client.leave()
    expect(write.invocations).toEqual([])
    expect(await world.engine.readSession(world.user, sessionId)).toMatchObject({
      status: 'waiting',
      waitingCalls: ['c1'],
    })
  })
})
