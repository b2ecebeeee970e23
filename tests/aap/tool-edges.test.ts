import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import type { HistoryMessage, TurnMessage } from '../support/aap-wire.ts'
import { callsIn, pendingCalls } from '../support/played-turn.ts'
import { NEXT, call, script, shownMessages } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { type CountingAgent, prepareCountingAgent } from '../support/counting-agent.ts'
import { expectRefusal } from './refusals.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const MODES = ['delta', 'message', 'none'] as const

let server: TestServer
let counting: CountingAgent

beforeAll(async () => {
  counting = await prepareCountingAgent()
  server = await startTestServer({ configFile: counting.configFile })
})

afterAll(async () => {
  await server.stop()
  await counting.remove()
})

describe.each(DIALECTS)('edges of tool calls at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const weather = dialect.tool('weather', 'Tells the weather', SCHEMA)
  const grant = (toolCallId: string): TurnMessage => ({ role: 'tool_permission', toolCallId, granted: true })
  const deny = (toolCallId: string): TurnMessage => ({ role: 'tool_permission', toolCallId, granted: false })

  /** What a client that has lost everything but the session's id does, by the protocol's own rules. */
  async function resolveFromStateAlone(id: string): Promise<void> {
    const resumed = attachSession(client(), id)
    const own = new Set((await resumed.read()).tools?.map(({ name }) => name))
    const pending = pendingCalls(await resumed.history())
    expect(pending.map(({ toolCallId, name }) => ({ toolCallId, isClientSide: own.has(name) }))).toEqual([
      { toolCallId: 'p1', isClientSide: true },
      { toolCallId: 'p3', isClientSide: false },
    ])
    const answers = pending.map(({ toolCallId, name }): TurnMessage =>
      own.has(name) ? { role: 'tool', toolCallId, content: 'hail' } : grant(toolCallId),
    )
    const played = await resumed.play('delta', answers)
    expect(played.results).toEqual([{ toolCallId: 'p3', content: expect.stringContaining('waited 1') }])
    expect(played).toMatchObject({ stopReason: 'end_turn', text: 'found my way back' })
    expect(pendingCalls(await resumed.history())).toEqual([])
  }

  async function openWithPendingCalls(): Promise<string> {
    const session = await openSession(client(), {
      tools: [{ name: 'echo', trust: true }, { name: 'slow' }],
      clientTools: [weather],
    })
    const asked = await session.play(
      'delta',
      script(
        ...['say one moment', call('p1', 'weather', { city: 'A' }), call('p2', 'echo', { msg: 'done' })],
        ...[call('p3', 'slow', { ms: 1 }), NEXT, 'say found my way back'],
      ),
    )
    expect(asked.stopReason).toBe('tool_use')
    return session.id
  }

  it(`aap 99${mark}: granting a client-side call gives 400; denying one is accepted as its result`, async () => {
    const session = await openSession(client(), { clientTools: [weather] })
    await session.turn(call('c1', 'weather', { city: 'A' }))
    const before = await session.history()
    for (const stream of MODES) expectRefusal(await client().turn(session.id, { stream, messages: [grant('c1')] }), 400)
    expect(await session.history()).toEqual(before)
    const answer = await session.turn([deny('c1')])
    expect(answer.stopReason).toBe('end_turn')
    expect(await session.talk()).toContainEqual({ role: 'tool', toolCallId: 'c1', content: 'Tool call denied' })
  })

  it(`aap 100${mark}: a tool message for a waiting server call resolves it, and the tool does not run`, async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count' }] })
    const run = counting.nextRun()
    await session.turn(call('s1', 'count', { run }))
    const played = await session.play('delta', [{ role: 'tool', toolCallId: 's1', content: 'I know already' }])
    expect(played).toMatchObject({ stopReason: 'end_turn', text: 'RESULTS 1: I know already' })
    expect(await session.talk()).toContainEqual({ role: 'tool', toolCallId: 's1', content: 'I know already' })
    expect(await counting.timesRun(run)).toBe(0)
  })

  it(`aap 101${mark}: a throwing tool yields a result with the error's text, and the turn continues`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'explode', trust: true }] })
      const played = await session.play(
        mode,
        script(call('b1', 'explode', { reason: 'wet powder' }), NEXT, 'say oh well'),
      )
      expect(played.results).toEqual([{ toolCallId: 'b1', content: expect.stringContaining('wet powder') }])
      expect(played).toMatchObject({ stopReason: 'end_turn', text: 'oh well' })
    }
    const granted = await openSession(client(), { tools: [{ name: 'boom' }] })
    await granted.turn(script(call('b2', 'boom'), NEXT, 'say still here'))
    const played = await granted.play('message', [grant('b2')])
    expect(played.results).toEqual([{ toolCallId: 'b2', content: expect.stringMatching(/\S/) }])
    expect(played).toMatchObject({ stopReason: 'end_turn', text: 'still here' })
  })

  it(`aap 102${mark}: input that breaks the schema yields an error result, and the tool does not run`, async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count', trust: true }] })
    const run = counting.nextRun()
    const played = await session.play(
      'delta',
      script(
        ...[`call i1 count {"run":7}`, 'call i2 count {}', 'call i3 count {broken', `call i4 count ["${run}"]`],
        ...[call('i5', 'count', { run }), NEXT, 'say noted'],
      ),
    )
    expect(played).toMatchObject({ stopReason: 'end_turn', text: 'noted' })
    const results = new Map(played.results.map(({ toolCallId, content }) => [toolCallId, content]))
    for (const id of ['i1', 'i2', 'i3', 'i4']) expect(results.get(id)).toEqual(expect.stringMatching(/\w+ \w+/))
    expect(results.get('i1')).toEqual(expect.stringContaining('run'))
    expect(results.get('i5')).toBe(`counted ${run}`)
    expect(await counting.timesRun(run)).toBe(1)
    expect(await counting.timesRun('7')).toBe(0)
  })

  it(`aap 103${mark}: a call to a disabled or unknown tool yields an error result inline, no permission request`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'explode' }] })
      const run = counting.nextRun()
      const played = await session.play(
        mode,
        script(call('n1', 'count', { run }), call('n2', 'no_such_tool', { a: 1 }), NEXT, 'say I see'),
      )
      expect(played.stopReason).toBe('end_turn')
      expect(played.results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(['n1', 'n2'])
      for (const { content } of played.results) expect(content).toEqual(expect.stringMatching(/\w+ \w+/))
      expect(played.text).toBe('I see')
      expect(await counting.timesRun(run)).toBe(0)
    }
  })

  it(`aap 104${mark}: toolCallIds are unique per session, even if the model repeats them`, async () => {
    const seed: readonly HistoryMessage[] = [
      { role: 'user', content: 'before' },
      { role: 'assistant', content: [{ type: 'tool_use', toolCallId: 'dup', name: 'echo', input: {} }] },
      { role: 'tool', toolCallId: 'dup', content: 'seeded' },
    ]
    const session = await openSession(client(), {
      seed,
      tools: [{ name: 'echo', trust: true }],
      clientTools: [weather],
    })
    const twice = script(call('dup', 'echo', { msg: 'one' }), call('dup', 'echo', { msg: 'two' }))
    const first = await session.play('delta', twice)
    const second = await session.play('none', twice)
    const third = await session.play(
      'message',
      script(call('dup', 'weather', { city: 'A' }), call('fresh', 'echo', { msg: 'x' })),
    )
    const odd = await session.play('delta', script('call ask_1 echo {"msg":"a"}', 'call we!rd/id echo {"msg":"b"}'))

    const shownCalls = [first, second, third, odd].flatMap(({ calls }) => calls)
    const ids = ['dup', ...shownCalls.map(({ toolCallId }) => toolCallId)]
    expect(new Set(ids).size).toBe(9)
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(third.calls[1]?.toolCallId).toBe('fresh')
    expect(first.results.map(({ content }) => content).toSorted()).toEqual(['one', 'two'])
    for (const { calls, results } of [first, second, odd]) {
      expect(results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(
        calls.map(({ toolCallId }) => toolCallId).toSorted(),
      )
    }
    const history = await session.history()
    expect(callsIn(history).map(({ toolCallId }) => toolCallId)).toEqual(ids)
    const answered = history.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
    expect(answered.toSorted()).toEqual(ids.toSorted())
  })

  it(`aap 105${mark}: unexposed tools run without permission, and a shown call has a shown result`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client())
      const played = await session.play(mode, script(call('h1', 'hidden', { msg: 'private' }), NEXT, 'say it said so'))
      expect(played).toMatchObject({ stopReason: 'end_turn', text: 'it said so' })
      expect(played.results.map(({ toolCallId }) => toolCallId)).toEqual(
        played.calls.map(({ toolCallId }) => toolCallId),
      )
      const reached = shownMessages((await session.turn('show messages')).messages)
      expect(reached).toContainEqual(expect.objectContaining({ role: 'tool', toolCallId: 'h1', content: 'private' }))
    }
  })

  it(`aap 106${mark}: after a client restart, session info and history suffice to resolve pending calls`, async () => {
    await resolveFromStateAlone(await openWithPendingCalls())
  })

  it(`aap 107${mark}: the same after a server restart`, async () => {
    const id = await openWithPendingCalls()
    await server.restart()
    await resolveFromStateAlone(id)
  })

  it(`aap 108${mark}: a tool that returns a string yields that string, other values yield JSON`, async () => {
    const session = await openSession(client(), {
      agent: 'counting',
      tools: [
        { name: 'count', trust: true },
        { name: 'measure', trust: true },
      ],
    })
    const run = counting.nextRun()
    const played = await session.play(
      'delta',
      script(call('q1', 'count', { run }), call('q2', 'measure', { width: 3 })),
    )
    const results = new Map(played.results.map(({ toolCallId, content }) => [toolCallId, content]))
    expect(results.get('q1')).toBe(`counted ${run}`)
    expect(JSON.parse(String(results.get('q2')))).toEqual({ width: 3, unit: 'm' })
    const talk = await session.talk()
    expect(talk).toContainEqual({ role: 'tool', toolCallId: 'q1', content: `counted ${run}` })
    const echoing = await openSession(client(), { tools: [{ name: 'echo', trust: true }] })
    const echoed = await echoing.play('none', call('q3', 'echo', { msg: '"quoted" \\ {}' }))
    expect(echoed.results).toEqual([{ toolCallId: 'q3', content: '"quoted" \\ {}' }])
  })

  it(`aap 109${mark}: trust set to true while a call is pending does not run it`, async () => {
    const session = await openSession(client(), {
      agent: 'counting',
      tools: [{ name: 'count' }],
      clientTools: [weather],
    })
    const [run, later] = [counting.nextRun(), counting.nextRun()]
    await session.turn(
      script(
        call('v1', 'weather', { city: 'A' }),
        call('v2', 'count', { run }),
        NEXT,
        call('v3', 'count', { run: later }),
      ),
    )
    const trust = { agent: { tools: [{ name: 'count', trust: true }] } }
    const played = await session.play('delta', [{ role: 'tool', toolCallId: 'v1', content: 'sun' }], trust)
    expect(played).toMatchObject({ stopReason: 'tool_use', results: [], calls: [] })
    expect(await counting.timesRun(run)).toBe(0)
    expect((await session.read()).agent.tools).toEqual([{ name: 'count', trust: true }])
    expect(pendingCalls(await session.history()).map(({ toolCallId }) => toolCallId)).toEqual(['v2'])

    const granted = await session.play('delta', [grant('v2')])
    expect(granted.stopReason).toBe('end_turn')
    expect(granted.results.map(({ toolCallId }) => toolCallId)).toEqual(['v2', 'v3'])
    expect([await counting.timesRun(run), await counting.timesRun(later)]).toEqual([1, 1])
  })
})
