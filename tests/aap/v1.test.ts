import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AapClient } from '../support/aap-client.ts'
import { V1, V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import type { HistoryMessage, TurnMessage } from '../support/aap-wire.ts'
import { inBlocks, pendingCalls, playedFromAnswer, playedFromFrames } from '../support/played-turn.ts'
import { NEXT, call, script, shown } from '../support/script.ts'
import { type TestServer, startTestServer } from '../support/test-server.ts'
import { expectRefusal } from './refusals.ts'
import { listPages, listSessionIds } from './session-list.ts'

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const SEED: readonly HistoryMessage[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'before' },
  { role: 'assistant', content: 'after' },
]
const MODES = ['delta', 'message', 'none'] as const

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

describe('what only version 1 has', () => {
  const client = (): AapClient => server.client(V1)
  const body = (content: string, changes: Readonly<Record<string, unknown>> = {}) => ({
    agent: { name: 'scripted' },
    messages: [{ role: 'user', content }],
    ...changes,
  })

  it('aap 115: /meta.version is the number 1 and tools carry inputSchema, not parameters', async () => {
    const answer = await client().meta()
    expect(answer.status).toBe(200)
    expect(answer.body.version).toBe(1)
    const tools = answer.body.agents.flatMap(({ tools: listed = [] }) => listed)
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'boom', 'slow']))
    for (const tool of tools) {
      expect(tool).toEqual(
        expect.objectContaining({
          name: expect.any(String),
          description: expect.any(String),
          inputSchema: expect.objectContaining({ type: 'object' }),
        }),
      )
      expect(tool).not.toHaveProperty('parameters')
    }
    const { agents } = (await server.client(V3).meta()).body
    expect(answer.body.agents.map(({ name }) => name)).toEqual(agents.map(({ name }) => name))
  })

  it('aap 116: PUT /session runs the first turn and answers 201 with sessionId, stopReason and messages', async () => {
    const answer = await client().create(body('say hello from the start'))
    expect(answer.status).toBe(201)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(Object.keys(answer.body).toSorted()).toEqual(['messages', 'sessionId', 'stopReason'])
    expect(answer.body.stopReason).toBe('end_turn')
    expect(inBlocks(answer.body.messages)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'hello from the start' }] },
    ])
    const explicit = await client().create(body('say hi', { stream: 'none' }))
    expect(explicit.status).toBe(201)
  })

  it('aap 117: a streaming PUT /session starts with session_start and turn_start', async () => {
    for (const mode of ['delta', 'message']) {
      const stream = await client().streamCreate(body('say streamed', { stream: mode }))
      expect(stream.status).toBe(200)
      expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
      const frames = await stream.finished()
      const sessionId = String(frames[0]?.data['sessionId'])
      expect(frames.slice(0, 2).map(({ data }) => data)).toEqual([
        { event: 'session_start', sessionId },
        { event: 'turn_start' },
      ])
      expect(frames.filter(({ event }) => event === 'session_start')).toHaveLength(1)
      expect(playedFromFrames(frames)).toMatchObject({ stopReason: 'end_turn', text: 'streamed' })
      expect((await client().get(sessionId)).status).toBe(200)
    }
    for (const stream of ['sse', 7]) expectRefusal(await client().create(body('say x', { stream })), 400)
    const small = { agent: { name: 'scripted-min' }, stream: 'delta' }
    const before = await listSessionIds(client())
    expectRefusal(await client().create(body('say x', small)), 400)
    expect(await listSessionIds(client())).toEqual(before)
  })

  it('aap 118: a PUT /session whose last message is not from the user gives 400 and makes no session', async () => {
    const before = await listSessionIds(client())
    const agent = { name: 'scripted' }
    const lasts: readonly unknown[] = [undefined, [], SEED, [SEED[0]], [{ role: 'user', content: 'x' }, SEED[2]]]
    for (const messages of lasts) {
      const answer = await client().create({ agent, messages })
      expectRefusal(answer, 400)
      expect(answer.body.error).toBe('Last message must be a user message')
    }
    expect(await listSessionIds(client())).toEqual(before)
  })

  it('aap 119: seed and first turn are in history in order', async () => {
    const first: HistoryMessage = { role: 'user', content: 'say now' }
    const { sessionId } = (await client().create({ agent: { name: 'scripted' }, messages: [...SEED, first] })).body
    const history = await client().history(sessionId, 'full')
    expect(history.slice(0, 4)).toEqual([...SEED, first])
    expect(inBlocks(history.slice(4))).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'now' }] }])
  })

  it('aap 120: POST /session/:id sends no session_start, and no sessionId in JSON', async () => {
    const session = await openSession(client())
    const answer = await client().turn(session.id, { messages: [{ role: 'user', content: 'say again' }] })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body).toSorted()).toEqual(['messages', 'stopReason'])
    for (const mode of ['delta', 'message'] as const) {
      const frames = await (await session.stream(mode, 'say again')).finished()
      expect(frames[0]?.data).toEqual({ event: 'turn_start' })
      expect(frames.map(({ event }) => event)).not.toContain('session_start')
      expect(JSON.stringify(frames.map(({ data }) => data))).not.toContain(session.id)
    }
  })

  it('aap 121: GET /session/:id has every declared history, and redacted secrets', async () => {
    const session = await openSession(client(), { seed: SEED, options: { apiKey: 'very-secret', language: 'Dutch' } })
    await session.turn('say hi')
    const { text, body: info } = await client().get(session.id)
    expect(Object.keys(info.history ?? {}).toSorted()).toEqual(['compacted', 'full'])
    expect(info.history?.full?.slice(0, 3)).toEqual(SEED)
    expect(info.history?.full).toHaveLength(7)
    expect(info.history?.compacted?.at(-1)).toEqual(info.history?.full?.at(-1))
    expect(info.agent).toEqual({ name: 'scripted', options: { apiKey: '***', language: 'Dutch' } })
    expect(text).not.toContain('very-secret')

    const small = await openSession(client(), { agent: 'scripted-min' })
    expect(Object.keys((await client().get(small.id)).body.history ?? {})).toEqual(['compacted'])
  })

  it('aap 122: ?history=full returns only that history', async () => {
    const session = await openSession(client())
    for (const type of ['full', 'compacted']) {
      const answer = await client().send<{ history: object }>('GET', `/session/${session.id}?history=${type}`)
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({ sessionId: session.id, agent: { name: 'scripted' } })
      expect(Object.keys(answer.body.history)).toEqual([type])
    }
  })

  it('aap 123: GET /sessions gives id strings, with the same cursor rules', async () => {
    const key = await server.createKey('old-client')
    const own = server.client(V1, key)
    const made = await Promise.all(Array.from({ length: 130 }, () => openSession(server.client(V3, key))))
    const pages = await listPages(own)
    expect(pages.length).toBeGreaterThanOrEqual(2)
    const ids = pages.flatMap(({ sessions }) => sessions)
    for (const id of ids) expect(id).toEqual(expect.any(String))
    expect(ids.toSorted()).toEqual(made.map(({ id }) => id).toSorted())
    expect(pages.at(-1)).not.toHaveProperty('next')
    expectRefusal(await own.list('no cursor'), 400)
  })

  it('aap 124: DELETE /session/:id gives 204, afterwards 404', async () => {
    const session = await openSession(client())
    const removed = await client().remove(session.id)
    expect([removed.status, removed.text]).toEqual([204, ''])
    expectRefusal(await client().get(session.id), 404)
    expectRefusal(await client().turn(session.id, { messages: [{ role: 'user', content: 'say x' }] }), 404)
    expectRefusal(await client().remove(session.id), 404)
    expectRefusal(await server.client(V3).get(session.id), 404)
  })

  it('aap 125: client, trusted, untrusted and parallel calls flow through PUT and POST in every mode', async () => {
    const tools = [V1.tool('weather', 'Tells the weather', SCHEMA), V1.tool('stocks', 'Tells prices', SCHEMA)]
    const agent = { name: 'scripted', tools: [{ name: 'echo', trust: true }, { name: 'slow' }] }
    const content = script(
      ...[call('k1', 'weather', { city: 'A' }), call('k2', 'echo', { msg: 'trusted' })],
      ...[call('k3', 'slow', { ms: 1 }), call('k4', 'stocks', { city: 'B' }), NEXT, 'say all in'],
    )
    for (const stream of MODES) {
      const request = { agent, tools, stream, messages: [{ role: 'user', content }] }
      const start = async () => {
        if (stream === 'none') {
          const { body: answer } = await client().create(request)
          return { id: answer.sessionId, played: playedFromAnswer(answer) }
        }
        const frames = await (await client().streamCreate(request)).finished()
        return { id: String(frames[0]?.data['sessionId']), played: playedFromFrames(frames) }
      }
      const { id, played } = await start()
      expect(played.calls.map(({ toolCallId }) => toolCallId)).toEqual(['k1', 'k2', 'k3', 'k4'])
      expect(played.results).toEqual([{ toolCallId: 'k2', content: 'trusted' }])
      expect(played.stopReason).toBe('tool_use')

      const session = attachSession(client(), id)
      expect(pendingCalls(await session.history()).map(({ toolCallId }) => toolCallId)).toEqual(['k1', 'k3', 'k4'])
      const answers: TurnMessage[] = [
        { role: 'tool', toolCallId: 'k1', content: 'sun' },
        { role: 'tool_permission', toolCallId: 'k3', granted: false, reason: 'too slow' },
        { role: 'tool', toolCallId: 'k4', content: 'up' },
      ]
      const answered = await session.play(stream, answers)
      expect(answered.results).toEqual([{ toolCallId: 'k3', content: 'Tool call denied: too slow' }])
      expect(answered).toMatchObject({ stopReason: 'end_turn', text: 'all in' })
    }
  })

  it('aap 126: a model failure on a non-streaming PUT /session still returns the id, with stopReason error', async () => {
    const answer = await client().create(body(script('say half', 'fail')))
    expect(answer.status).toBe(201)
    expect(answer.body.stopReason).toBe('error')
    expect(answer.body.error).toMatchObject({ message: expect.stringMatching(/\w+ \w+/) })
    const session = attachSession(client(), answer.body.sessionId)
    expect((await session.turn('say recovered')).stopReason).toBe('end_turn')
  })

  it('aap 128: a session made on one base is continued on the other, its tool schemas converted', async () => {
    for (const [here, there] of [
      [V3, V1],
      [V1, V3],
    ] as const) {
      const made = await openSession(server.client(here), {
        clientTools: [here.tool('weather', 'Tells the weather', SCHEMA)],
        tools: [{ name: 'echo', trust: true }],
      })
      const other = attachSession(server.client(there), made.id)
      expect((await other.read()).tools).toEqual([there.tool('weather', 'Tells the weather', SCHEMA)])
      expect((await other.turn(script(call('x1', 'weather', { city: 'Y' })))).stopReason).toBe('tool_use')
      const answer = await made.turn([{ role: 'tool', toolCallId: 'x1', content: 'fog' }])
      expect(playedFromAnswer(answer)).toMatchObject({ stopReason: 'end_turn', text: 'RESULTS 1: fog' })
      expect(await other.history()).toEqual(await made.history())

      const stocks = there.tool('stocks', 'Tells prices', SCHEMA)
      const offered = shown((await other.turn('show tools', { tools: [stocks] })).messages)
      expect(offered).toEqual(
        expect.arrayContaining([{ name: 'stocks', description: 'Tells prices', parameters: SCHEMA }]),
      )
      expect((await made.read()).tools).toEqual([here.tool('stocks', 'Tells prices', SCHEMA)])
      expect(await listSessionIds(server.client(there))).toContain(made.id)
      expect((await server.client(there).remove(made.id)).status).toBe(204)
      expectRefusal(await server.client(here).get(made.id), 404)
    }
  })
})
