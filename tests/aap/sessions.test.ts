// Whole sessions, each played by a plain application the way its user would, in every mode of both versions. After each
// exchange the application's own transcript is what the server has stored.
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect, V1, V3 } from '../support/aap-dialect.ts'
import { attachSession } from '../support/aap-session.ts'
import type { Content, HistoryMessage, StreamMode } from '../support/aap-wire.ts'
import { type CountingAgent, prepareCountingAgent } from '../support/counting-agent.ts'
import { inOneSpelling } from '../support/one-spelling.ts'
import { type OwnTool, type PlainApp, type PlainAppOptions, createPlainApp } from '../support/plain-app.ts'
import { textOf } from '../support/played-turn.ts'
import { NEXT, call, fingerprint, script, shownIn } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'

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

async function expectSameTranscript(app: PlainApp): Promise<void> {
  expect(inOneSpelling(app.transcript)).toEqual(inOneSpelling(await app.session.history()))
}

const WAYS = DIALECTS.flatMap((dialect) =>
  (['delta', 'message', 'none'] as const).map((mode) => ({ dialect, mode, base: dialect.base })),
)

describe.each(WAYS)('a session played at $base in $mode mode', ({ dialect, mode }) => {
  const open = (options: Omit<PlainAppOptions, 'client' | 'mode'>): PlainApp =>
    createPlainApp({ client: server.client(dialect), mode, ...options })
  const weather: OwnTool = {
    spec: dialect.tool('weather', 'Tells the weather of a city', {
      type: 'object',
      properties: { city: { type: 'string' } },
    }),
    run: ({ city }) => `It rains in ${String(city)}.`,
  }

  it('is a plain talk over several turns', async () => {
    const seed: readonly HistoryMessage[] = [{ role: 'system', content: 'You are Ada.' }]
    const app = open({ agent: { name: 'scripted' }, seed })
    expect(await app.send(script('think who is this', 'say Good morning, I am Ada.'))).toBe('Good morning, I am Ada.')
    await expectSameTranscript(app)
    expect(await app.send(script('say One', 'say two', 'say three.'))).toBe('One\ntwo\nthree.')
    await expectSameTranscript(app)
    expect(await app.send(script('say I would go on', 'stop max_tokens'))).toBe('I would go on')
    expect(await app.send('stop refusal')).toBe('')
    await app.send(script('say half a', 'fail'))
    expect(await app.send('say Back again.')).toBe('Back again.')
    expect(app.stopReasons).toEqual(['end_turn', 'end_turn', 'max_tokens', 'refusal', 'error', 'end_turn'])
    await expectSameTranscript(app)
    expect(shownIn(await app.send('show system'))).toContain('You are Ada.')
  })

  it('lets the agent use trusted tools by itself', async () => {
    const agent = {
      name: 'scripted',
      tools: ['echo', 'boom', 'slow'].map((name) => ({ name, trust: true })),
    }
    const app = open({ agent })
    const said = await app.send(
      script(
        ...['say Looking.', call('a1', 'echo', { msg: 'first' }), call('a2', 'slow', { ms: 20 })],
        ...[NEXT, 'think that failed before', 'say Trying.', call('a3', 'boom')],
        ...[NEXT, 'say Found it.'],
      ),
    )
    expect(said).toBe('Looking.Trying.Found it.')
    expect(app.asked).toEqual([])
    expect(app.stopReasons).toEqual(['end_turn'])
    await expectSameTranscript(app)
    expect(await app.send(call('a4', 'echo', { msg: 'again' }))).toBe('RESULTS 1: again')
    await expectSameTranscript(app)
  })

  it('asks its user about untrusted tools, and takes yes and no for an answer', async () => {
    const runs = { allowed: counting.nextRun(), forbidden: counting.nextRun() }
    const app = open({
      agent: { name: 'counting', tools: [{ name: 'count' }] },
      decide: ({ input }) =>
        input['run'] === runs.allowed ? { granted: true } : { granted: false, reason: 'not that one' },
    })
    expect(await app.send(call('b1', 'count', { run: runs.allowed }))).toBe(`RESULTS 1: counted ${runs.allowed}`)
    expect(await app.send(call('b2', 'count', { run: runs.forbidden }))).toBe(
      'RESULTS 1: Tool call denied: not that one',
    )
    expect(app.asked.map(({ toolCallId, name }) => `${toolCallId} ${name}`)).toEqual(['b1 count', 'b2 count'])
    expect(app.stopReasons).toEqual(['tool_use', 'end_turn', 'tool_use', 'end_turn'])
    expect([await counting.timesRun(runs.allowed), await counting.timesRun(runs.forbidden)]).toEqual([1, 0])
    await expectSameTranscript(app)
  })

  it("runs the application's own tools", async () => {
    const app = open({ agent: { name: 'scripted' }, ownTools: [weather] })
    const said = await app.send(
      script(call('c1', 'weather', { city: 'Oslo' }), NEXT, call('c2', 'weather', { city: 'Rome' }), NEXT, 'say Wet.'),
    )
    expect(said).toBe('Wet.')
    expect(app.stopReasons).toEqual(['tool_use', 'tool_use', 'end_turn'])
    await expectSameTranscript(app)
    expect(await app.send(call('c3', 'weather', { city: 'Bonn' }))).toBe('RESULTS 1: It rains in Bonn.')
  })

  it('mixes own, trusted and untrusted tools in parallel, twice in a row', async () => {
    const app = open({
      agent: { name: 'scripted', tools: [{ name: 'echo', trust: true }, { name: 'slow' }, { name: 'boom' }] },
      ownTools: [weather],
      decide: ({ name }) => ({ granted: name === 'slow' }),
    })
    const four = (round: string): readonly string[] => [
      call(`${round}1`, 'weather', { city: 'Lima' }),
      call(`${round}2`, 'echo', { msg: 'quick' }),
      call(`${round}3`, 'slow', { ms: 10 }),
      call(`${round}4`, 'boom'),
    ]
    expect(await app.send(script('say Busy.', ...four('d'), NEXT, ...four('e'), NEXT, 'say Done.'))).toBe('Busy.Done.')
    expect(app.asked.map(({ toolCallId }) => toolCallId)).toEqual(['d3', 'd4', 'e3', 'e4'])
    expect(app.stopReasons).toEqual(['tool_use', 'tool_use', 'end_turn'])
    await expectSameTranscript(app)
  })

  it('sends pictures and gets them back from its own tools', async () => {
    const picture: Content = [
      { type: 'image', url: `data:image/png;base64,${Buffer.alloc(5000, 'pixels').toString('base64')}` },
    ]
    const camera: OwnTool = {
      spec: dialect.tool('camera', 'Takes a picture', { type: 'object' }),
      run: () => [{ type: 'text', text: 'click' }, ...picture],
    }
    const app = open({ agent: { name: 'scripted' }, ownTools: [camera] })
    const shot = await app.send([{ type: 'text', text: call('p1', 'camera') }, ...picture])
    expect(shot).toBe('RESULTS 1: click')
    await expectSameTranscript(app)
    const seen = await app.send([{ type: 'text', text: 'show messages' }])
    expect(seen.match(/"type":"image"/g)).toHaveLength(2)
    await expectSameTranscript(app)
  })

  it('keeps options for the session and secrets to itself', async () => {
    const app = open({ agent: { name: 'scripted', options: { apiKey: 'sk-mine-alone', language: 'Welsh' } } })
    const mine = { apiKey: fingerprint('sk-mine-alone'), language: 'Welsh', model: 'a' }
    expect(shownIn(await app.send('show options'))).toEqual(mine)
    const { session } = app
    expect(
      shownIn(textOf((await session.turn('show options', { agent: { options: { model: 'b' } } })).messages)),
    ).toEqual({
      ...mine,
      model: 'b',
    })
    const info = await session.read()
    expect(info.agent.options).toEqual({ apiKey: '***', language: 'Welsh', model: 'b' })
    const again = await session.turn('show options', { agent: { options: info.agent.options ?? {} } })
    expect(shownIn(textOf(again.messages))).toEqual({ ...mine, model: 'b' })
    expect(JSON.stringify([await session.read(), await session.history()])).not.toContain('sk-mine-alone')
  })
})

describe('a secret option', () => {
  it('is in no file of the data directory in plain text, while the conversation is', async () => {
    const app = createPlainApp({
      client: server.client(V3),
      mode: 'none',
      agent: { name: 'scripted', options: { apiKey: 'sk-at-rest-4711', language: 'Sorbian' } },
    })
    await app.send('say written-down-0815')
    await app.session.turn('say more', { agent: { options: { apiKey: 'sk-at-rest-4712' } } })
    const files = await readdir(server.dataDir, { recursive: true, withFileTypes: true })
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
    const texts = await Promise.all(paths.map((path) => readFile(path, 'latin1')))
    expect(texts.some((text) => text.includes('written-down-0815'))).toBe(true)
    expect(texts.some((text) => text.includes('Sorbian'))).toBe(true)
    expect(paths.filter((_, index) => /sk-at-rest-471[12]/.test(texts[index] ?? ''))).toEqual([])
  })
})

describe('an old and a new client on one session', () => {
  it.each([
    { first: V1, second: V3 },
    { first: V3, second: V1 },
  ])('take turns, made over $first.name', async ({ first, second }) => {
    const modes: readonly StreamMode[] = ['delta', 'message', 'none']
    const ownTool = (dialect: Dialect): OwnTool => ({
      spec: dialect.tool('weather', 'Tells the weather', { type: 'object' }),
      run: () => `asked over ${dialect.name}`,
    })
    const app = createPlainApp({
      client: server.client(first),
      mode: 'delta',
      agent: { name: 'scripted', tools: [{ name: 'echo', trust: true }, { name: 'slow' }] },
      ownTools: [ownTool(first)],
    })
    await app.send('say begun')
    const expected: string[] = ['begun']
    for (const [round, mode] of modes.flatMap((each) => [each, each]).entries()) {
      const dialect = round % 2 === 0 ? second : first
      const session = attachSession(server.client(dialect), app.session.id)
      const asked = await session.play(
        mode,
        script(
          ...[
            call(`w${round}`, 'weather'),
            call(`s${round}`, 'slow', { ms: 1 }),
            call(`e${round}`, 'echo', { msg: 'x' }),
          ],
          ...[NEXT, `say round ${round}`],
        ),
      )
      expect(asked.stopReason).toBe('tool_use')
      const other = attachSession(server.client(dialect === V3 ? V1 : V3), app.session.id)
      const own = (await other.read()).tools?.map(({ name }) => name)
      expect(own).toEqual(['weather'])
      const answered = await other.play(mode, [
        { role: 'tool', toolCallId: `w${round}`, content: 'dry' },
        { role: 'tool_permission', toolCallId: `s${round}`, granted: true },
      ])
      expect(answered).toMatchObject({ stopReason: 'end_turn', text: `round ${round}` })
      expected.push(`round ${round}`)
      expect(await other.history()).toEqual(await session.history())
    }
    const said = (await app.session.history()).filter(({ role }) => role === 'assistant').map((each) => textOf([each]))
    expect(said.filter((text) => text !== '')).toEqual(expected)
  })
})
