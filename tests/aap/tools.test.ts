import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { DIALECTS } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { inBlocks, pendingCalls } from '../support/played-turn.ts'
import { NEXT, call, script, shownMessages, shownText } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { expectRefusal } from './refusals.ts'
import { type CountingAgent, prepareCountingAgent } from '../support/counting-agent.ts'

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

describe.each(DIALECTS)('tool calls at $base', (dialect) => {
  const { mark } = dialect
  const client = (): AapClient => server.client(dialect)
  const weather = dialect.tool('weather', 'Tells the weather', SCHEMA)
  const stocks = dialect.tool('stocks', 'Tells prices', SCHEMA)
  const grant = (toolCallId: string) => ({ role: 'tool_permission' as const, toolCallId, granted: true })

  it(`aap 86${mark}: a client-side call is tool_call, then tool_use, and the posted result reaches the model`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), { clientTools: [weather] })
      const asked = await session.play(mode, script(call('c1', 'weather', { city: 'Oslo' }), NEXT, 'show messages'))
      expect(asked.stopReason).toBe('tool_use')
      expect(asked.calls).toEqual([{ toolCallId: 'c1', name: 'weather', input: { city: 'Oslo' } }])
      expect(asked.text).toBe('')

      const answered = await session.play(mode, [{ role: 'tool', toolCallId: 'c1', content: 'snow' }])
      expect(answered.stopReason).toBe('end_turn')
      const reached = shownMessages([{ role: 'assistant', content: answered.text }])
      expect(reached.slice(-2).map(({ role }) => role)).toEqual(['assistant', 'tool'])
      expect(reached.at(-1)).toMatchObject({ toolCallId: 'c1' })
      expect(reached.slice(-1).map(shownText)).toEqual(['snow'])
    }
  })

  it(`aap 87${mark}: a trusted call is tool_call, tool_result, text and end_turn in one turn`, async () => {
    const streamed = { delta: 'text_delta', message: 'text' }
    for (const mode of MODES) {
      const session = await openSession(client(), { tools: [{ name: 'echo', trust: true }] })
      const played = await session.play(mode, script(call('t1', 'echo', { msg: 'hi' }), NEXT, 'say done'))
      expect(played).toMatchObject({
        stopReason: 'end_turn',
        calls: [{ toolCallId: 't1', name: 'echo', input: { msg: 'hi' } }],
        results: [{ toolCallId: 't1', content: 'hi' }],
        text: 'done',
      })
      expect(played.order).toEqual(
        mode === 'none'
          ? ['tool_call', 'tool_result', 'text']
          : ['turn_start', 'tool_call', 'tool_result', streamed[mode], 'turn_stop'],
      )
    }
  })

  it(`aap 88${mark}: an untrusted call, trust false or absent, does not run before a grant`, async () => {
    for (const mode of MODES) {
      for (const tool of [{ name: 'count' }, { name: 'count', trust: false }]) {
        const session = await openSession(client(), { agent: 'counting', tools: [tool] })
        const run = counting.nextRun()
        const played = await session.play(mode, call('u1', 'count', { run }))
        expect(played.stopReason).toBe('tool_use')
        expect(played.calls).toEqual([{ toolCallId: 'u1', name: 'count', input: { run } }])
        expect(played.results).toEqual([])
        expect((await session.talk()).map(({ role }) => role)).toEqual(['user', 'assistant'])
        expect(await counting.timesRun(run)).toBe(0)
      }
    }
  })

  it(`aap 89${mark}: a grant runs the call once with its stored input, then tool_result, then text`, async () => {
    const streamed = { delta: 'text_delta', message: 'text' }
    for (const mode of MODES) {
      const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count' }] })
      const run = counting.nextRun()
      await session.turn(script(call('g1', 'count', { run }), NEXT, 'say thanks'))
      const played = await session.play(mode, [grant('g1')])
      expect(played.results).toEqual([{ toolCallId: 'g1', content: `counted ${run}` }])
      expect(played.text).toBe('thanks')
      expect(played.stopReason).toBe('end_turn')
      expect(played.order).toEqual(
        mode === 'none' ? ['tool_result', 'text'] : ['turn_start', 'tool_result', streamed[mode], 'turn_stop'],
      )
      expect(await counting.timesRun(run)).toBe(1)
    }
  })

  it(`aap 90${mark}: after a denial without a reason, history has Tool call denied`, async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count' }] })
    const run = counting.nextRun()
    await session.turn(call('d1', 'count', { run }))
    await session.turn([{ role: 'tool_permission', toolCallId: 'd1', granted: false }])
    expect(await session.talk()).toContainEqual({ role: 'tool', toolCallId: 'd1', content: 'Tool call denied' })
    expect(await session.history('compacted')).toContainEqual({
      role: 'tool',
      toolCallId: 'd1',
      content: 'Tool call denied',
    })
    expect(await counting.timesRun(run)).toBe(0)
  })

  it(`aap 91${mark}: after a denial with a reason, history has Tool call denied and the reason`, async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count' }] })
    const run = counting.nextRun()
    await session.turn(call('d2', 'count', { run }))
    await session.turn([{ role: 'tool_permission', toolCallId: 'd2', granted: false, reason: 'too loud: "stop"' }])
    expect(await session.talk()).toContainEqual({
      role: 'tool',
      toolCallId: 'd2',
      content: 'Tool call denied: too loud: "stop"',
    })
    expect(await counting.timesRun(run)).toBe(0)
  })

  it(`aap 92${mark}: a denial also yields tool_result in a stream, or a tool message, and the model continues`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), { tools: [{ name: 'echo' }] })
      await session.turn(call('d3', 'echo', { msg: 'x' }))
      const played = await session.play(mode, [
        { role: 'tool_permission', toolCallId: 'd3', granted: false, reason: 'no' },
      ])
      expect(played.results).toEqual([{ toolCallId: 'd3', content: 'Tool call denied: no' }])
      expect(played.text).toBe('RESULTS 1: Tool call denied: no')
      expect(played.stopReason).toBe('end_turn')
    }
  })

  it(`aap 93${mark}: two client, one trusted and one untrusted call: one result, tool_use, then one request resolves all`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), {
        tools: [{ name: 'echo', trust: true }, { name: 'slow' }],
        clientTools: [weather, stocks],
      })
      const asked = await session.play(
        mode,
        script(
          ...[call('k1', 'weather', { city: 'A' }), call('k2', 'echo', { msg: 'trusted' })],
          ...[call('k3', 'slow', { ms: 1 }), call('k4', 'stocks', { city: 'B' })],
          ...[NEXT, 'show messages'],
        ),
      )
      expect(asked.calls.map(({ toolCallId }) => toolCallId)).toEqual(['k1', 'k2', 'k3', 'k4'])
      expect(asked.results).toEqual([{ toolCallId: 'k2', content: 'trusted' }])
      expect(asked.stopReason).toBe('tool_use')
      expect(pendingCalls(await session.history()).map(({ toolCallId }) => toolCallId)).toEqual(['k1', 'k3', 'k4'])

      const answered = await session.play(mode, [
        { role: 'tool', toolCallId: 'k4', content: 'up' },
        grant('k3'),
        { role: 'tool', toolCallId: 'k1', content: 'sun' },
      ])
      expect(answered.results.map(({ toolCallId }) => toolCallId)).toEqual(['k3'])
      expect(answered.stopReason).toBe('end_turn')
      const reached = shownMessages([{ role: 'assistant', content: answered.text }])
      const results = reached.filter(({ role }) => role === 'tool')
      expect(results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(['k1', 'k2', 'k3', 'k4'])
      expect(pendingCalls(await session.history())).toEqual([])
    }
  })

  it(`aap 94${mark}: when all calls are trusted there is no tool_use stop`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), {
        tools: [
          { name: 'echo', trust: true },
          { name: 'slow', trust: true },
        ],
      })
      const played = await session.play(
        mode,
        script(
          ...[call('a1', 'echo', { msg: 'one' }), call('a2', 'slow', { ms: 5 }), call('a3', 'echo', { msg: 'two' })],
          ...[NEXT, call('a4', 'echo', { msg: 'three' }), NEXT, 'say all done'],
        ),
      )
      expect(played.stopReason).toBe('end_turn')
      expect(played.results.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(['a1', 'a2', 'a3', 'a4'])
      expect(played.text).toBe('all done')
    }
  })

  it(`aap 95${mark}: an unknown toolCallId gives 400 and changes nothing, in every mode`, async () => {
    const session = await openSession(client(), { tools: [{ name: 'echo' }], clientTools: [weather] })
    const wrong = [grant('never'), { role: 'tool', toolCallId: 'never', content: 'x' }]
    for (const stream of MODES) {
      for (const message of wrong) {
        expectRefusal(await client().turn(session.id, { stream, messages: [message] }), 400)
      }
    }
    await session.turn(script(call('real', 'echo', { msg: 'x' }), call('mine', 'weather', { city: 'x' })))
    const before = await session.history()
    for (const stream of MODES) {
      for (const message of wrong) {
        expectRefusal(await client().turn(session.id, { stream, messages: [grant('real'), message] }), 400)
      }
    }
    expect(await session.history()).toEqual(before)
    expect(pendingCalls(await session.history()).map(({ toolCallId }) => toolCallId)).toEqual(['real', 'mine'])
  })

  it(`aap 96${mark}: a replayed grant gives 409 and the tool does not run again`, async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count' }] })
    const run = counting.nextRun()
    await session.turn(script(call('g1', 'count', { run }), call('g2', 'count', { run: counting.nextRun() })))
    for (const stream of MODES) {
      expectRefusal(await client().turn(session.id, { stream, messages: [grant('g1'), grant('g1')] }), 409)
    }
    expect(await counting.timesRun(run)).toBe(0)
    await session.turn([grant('g1'), { role: 'tool_permission', toolCallId: 'g2', granted: false }])
    const before = await session.history()
    const replays = [grant('g1'), grant('g2'), { role: 'tool', toolCallId: 'g1', content: 'forged' }]
    for (const stream of MODES) {
      for (const replay of replays) {
        expectRefusal(await client().turn(session.id, { stream, messages: [replay] }), 409)
      }
    }
    expect(await counting.timesRun(run)).toBe(1)
    expect(await session.history()).toEqual(before)
  })

  it(`aap 96${mark}: of grants sent at the same moment exactly one counts`, async () => {
    const session = await openSession(client(), { agent: 'counting', tools: [{ name: 'count' }] })
    const run = counting.nextRun()
    await session.turn(call('g3', 'count', { run }))
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client().turn(session.id, { messages: [grant('g3')] })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
    expect(await counting.timesRun(run)).toBe(1)
  })

  it(`aap 97${mark}: a partial submission stops with tool_use again, without a model call; the rest stays pending`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), { tools: [{ name: 'echo' }], clientTools: [weather] })
      await session.turn(
        script(
          ...[call('x1', 'weather', { city: 'A' }), call('x2', 'echo', { msg: 'B' }), call('x3', 'echo', { msg: 'C' })],
          ...[NEXT, 'say only now'],
        ),
      )
      const client1 = await session.play(mode, [{ role: 'tool', toolCallId: 'x1', content: 'sun' }])
      expect(client1).toMatchObject({ stopReason: 'tool_use', text: '', calls: [], results: [] })
      const granted = await session.play(mode, [grant('x3')])
      expect(granted).toMatchObject({ stopReason: 'tool_use', text: '', calls: [] })
      expect(granted.results).toEqual([{ toolCallId: 'x3', content: 'C' }])
      expect(granted.order).toEqual(mode === 'none' ? ['tool_result'] : ['turn_start', 'tool_result', 'turn_stop'])
      expect(pendingCalls(await session.history()).map(({ toolCallId }) => toolCallId)).toEqual(['x2'])
      const last = await session.play(mode, [grant('x2')])
      expect(last).toMatchObject({ stopReason: 'end_turn', text: 'only now' })
      expect(inBlocks(await session.talk()).filter(({ role }) => role === 'assistant')).toHaveLength(2)
    }
  })

  it(`aap 98${mark}: a user message with pending calls gives each a synthetic result, none dangles`, async () => {
    for (const mode of MODES) {
      const session = await openSession(client(), {
        agent: 'counting',
        tools: [{ name: 'count' }],
        clientTools: [weather],
      })
      const run = counting.nextRun()
      await session.turn(script(call('o1', 'weather', { city: 'A' }), call('o2', 'count', { run })))
      const played = await session.play(mode, 'show messages')
      expect(played.stopReason).toBe('end_turn')
      const talk = await session.talk()
      expect(talk.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant'])
      for (const [index, toolCallId] of ['o1', 'o2'].entries()) {
        expect(talk[2 + index]).toMatchObject({ toolCallId, content: expect.stringMatching(/cancelled.*superseded/i) })
      }
      const reached = shownMessages([{ role: 'assistant', content: played.text }])
      expect(reached.slice(-4).map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user'])
      expect(await counting.timesRun(run)).toBe(0)
      expectRefusal(await client().turn(session.id, { messages: [grant('o2')] }), 409)
    }
  })
})
