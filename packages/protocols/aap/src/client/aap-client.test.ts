import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TurnCutOff, createAapClient, defineClientTool, AapSession, type WireEvent } from './index.ts'

interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
}

const STOP = 'event: turn_stop\ndata: {"event":"turn_stop","stopReason":"end_turn"}\n\n'

/** A `fetch` that gives the answers one after the other and remembers the requests. */
function answering(...answers: readonly (() => Response)[]) {
  const sent: Sent[] = []
  const left = [...answers]
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined
    sent.push({ url: String(url), method: init.method ?? 'GET', headers: new Headers(init.headers), body })
    const answer = left.shift()
    if (answer === undefined) throw new TypeError('fetch failed')
    return answer()
  }
  return { fetch: fetch as typeof globalThis.fetch, sent }
}

const json =
  (value: unknown, status = 200) =>
  () =>
    Response.json(value, { status })

/** A body in these pieces; then its end, or an error as of a broken connection. */
const stream =
  (pieces: readonly (string | Uint8Array)[], isBroken = false) =>
  () => {
    const left = [...pieces]
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = left.shift()
        if (piece !== undefined) controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
        else if (isBroken) controller.error(new TypeError('terminated'))
        else controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

const open = (world: ReturnType<typeof answering>, version: 1 | 3 = 3) =>
  createAapClient({ baseUrl: 'http://server/base/', key: 'k', version, fetch: world.fetch })

async function collect(events: AsyncIterable<{ readonly event: WireEvent }>) {
  const seen: WireEvent[] = []
  try {
    for await (const { event } of events) seen.push(event)
    return { seen, error: undefined }
  } catch (error) {
    return { seen, error }
  }
}

const hello = { messages: [{ role: 'user', content: 'hi' }] } as const

describe('the AAP client', () => {
  it('aap 129: sends Bearer, a JSON content type, and Accept: text/event-stream for streams only', async () => {
    const world = answering(json({ version: 3, agents: [] }), stream([STOP]))
    const client = open(world)
    await client.meta()
    await collect(client.streamTurn('a b/c', hello))
    expect(world.sent.map(({ url, method }) => `${method} ${url}`)).toEqual([
      'GET http://server/base/meta',
      'POST http://server/base/sessions/a%20b%2Fc/turns',
    ])
    for (const { headers } of world.sent) {
      expect([headers.get('authorization'), headers.get('content-type')]).toEqual(['Bearer k', 'application/json'])
    }
    expect(world.sent.map(({ headers }) => headers.get('accept'))).toEqual([null, 'text/event-stream'])
  })

  it('aap 130: refuses a version it does not speak, naming both numbers', async () => {
    await expect(open(answering(json({ version: 2, agents: [] }))).meta()).rejects.toThrow(
      'The server speaks version 2 of the protocol, this client version 3.',
    )
    await expect(open(answering(json({ version: 3, agents: [] })), 1).meta()).rejects.toThrow('version 3')
  })

  const text = { event: 'text_delta', delta: 'Grüße' }
  const frame = `event: text_delta\ndata: ${JSON.stringify(text)}\n\n`
  const bytes = new TextEncoder().encode(frame)
  const harmless: readonly (readonly [name: string, pieces: readonly (string | Uint8Array)[]])[] = [
    ['comments', [': ping\n\n', frame, ': ping\n']],
    ['id and retry', ['id: 4.0.2\nretry: 500\n', frame]],
    ['CRLF', [frame.replaceAll('\n', '\r\n')]],
    ['the name in the data alone', [`data: ${JSON.stringify(text)}\n\n`]],
    ['the name in the frame alone', ['event: text_delta\ndata: {"delta":"Grüße"}\n\n']],
    ['data in several lines', ['event: text_delta\ndata: {"event":"text_delta",\ndata: "delta":"Grüße"}\n\n']],
    ['chunks of one byte', [...bytes].map((byte) => Uint8Array.of(byte))],
  ]
  it.each(harmless)('aap 131: parses %s', async (_name, pieces) => {
    const { seen, error } = await collect(open(answering(stream([...pieces, STOP]))).streamTurn('s', hello))
    expect({ seen, error }).toEqual({
      seen: [text, { event: 'turn_stop', stopReason: 'end_turn' }],
      error: undefined,
    })
  })

  const breaking: readonly (readonly [name: string, pieces: readonly string[]])[] = [
    ['data that is not JSON', [frame, 'data: [DONE]\n\n']],
    ['data that is no object', [frame, 'data: 7\n\n']],
    ['a missing turn_stop', [frame]],
    ['a last event without its blank line', [frame, 'event: turn_stop\ndata: {"event":"turn_stop"}']],
  ]
  it.each(breaking)('aap 131: reports %s, and keeps what arrived', async (_name, pieces) => {
    const world = answering(stream(pieces))
    const { seen, error } = await collect(open(world).streamTurn('s', hello))
    expect(seen).toEqual([text])
    expect(error).toBeInstanceOf(TurnCutOff)
    expect(world.sent).toHaveLength(1)
  })

  it('ends a turn whose last event arrived, also when the connection breaks then', async () => {
    const world = answering(stream([frame + STOP], true))
    const { seen, error } = await collect(open(world).streamTurn('s', hello))
    expect([seen.map(({ event }) => event), error]).toEqual([['text_delta', 'turn_stop'], undefined])
  })

  it('lets its reader leave when the connection is broken already', async () => {
    const world = answering(stream([`id: 4\n${frame}`], true))
    for await (const { event } of open(world).streamTurn('s', hello)) if (event.event === 'text_delta') break
    expect(world.sent).toHaveLength(1)
  })

  it('resumes after the last id when the connection breaks, and never sends the turn again', async () => {
    const first = stream([`id: 4.0.2\n${frame}`], true)
    const world = answering(first, json({ error: 'starting' }, 503), stream([`id: 5\n${STOP}`]))
    const { seen, error } = await collect(open(world).streamTurn('s', hello))
    expect(error).toBeUndefined()
    expect(seen.map(({ event }) => event)).toEqual(['text_delta', 'turn_stop'])
    expect(world.sent.map(({ url, method }) => `${method} ${url}`)).toEqual([
      'POST http://server/base/sessions/s/turns',
      'GET http://server/base/sessions/s/events?after=4.0.2',
      'GET http://server/base/sessions/s/events?after=4.0.2',
    ])
  })

  it('stops when its signal aborts', async () => {
    const abort = new AbortController()
    const world = answering(stream([`id: 4\n${frame}`], true))
    const events = open(world).streamTurn('s', hello, abort.signal)
    const seen: string[] = []
    const reading = (async () => {
      for await (const { event } of events) {
        seen.push(event.event)
        abort.abort(new Error('enough'))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(seen).toEqual(['text_delta'])
  })

  it('tells a missing session from an empty answer', async () => {
    const client = open(
      answering(json({ error: 'no' }, 404), json({ history: { full: [] } }), json({ error: 'no' }, 404)),
    )
    expect(await client.history('s', 'full')).toBeUndefined()
    expect(await client.history('s', 'full')).toEqual([])
    expect(await client.deleteSession('s')).toBe(false)
  })
})

describe('a session of the AAP client', () => {
  const call = (id: string, name: string) =>
    `event: tool_call\ndata: {"event":"tool_call","toolCallId":"${id}","name":"${name}","input":{"city":"Oslo"}}\n\n`
  const waits = 'event: turn_stop\ndata: {"event":"turn_stop","stopReason":"tool_use"}\n\n'
  const done = 'event: tool_result\ndata: {"event":"tool_result","toolCallId":"t1","content":"ok"}\n\n'
  const weather = defineClientTool({
    name: 'weather',
    description: 'Tells the weather',
    parameters: z.object({ city: z.string() }),
    run: ({ city }) => ({ city, sky: 'snow' }),
  })
  const start = (world: ReturnType<typeof answering>, more: object = {}) =>
    AapSession.create(open(world), { agent: { name: 'a', options: { language: 'en' } }, tools: [weather], ...more })

  it('aap 132: answers every call that waits in one request, and ignores those with results', async () => {
    const world = answering(
      json({ sessionId: 's' }, 201),
      stream([
        call('t1', 'trusted'),
        call('w1', 'weather'),
        call('p1', 'Bash'),
        call('q1', 'AskUserQuestion'),
        done,
        waits,
      ]),
      stream([STOP]),
    )
    const session = await start(world, {
      onApproval: () => ({ granted: false, reason: 'no' }),
      onQuestion: () => 'red',
    })
    for await (const event of session.send('go')) void event
    expect(world.sent.at(-1)?.body).toEqual({
      stream: 'delta',
      messages: [
        { role: 'tool', toolCallId: 'w1', content: '{"city":"Oslo","sky":"snow"}' },
        { role: 'tool_permission', toolCallId: 'p1', granted: false, reason: 'no' },
        { role: 'tool', toolCallId: 'q1', content: 'red' },
      ],
    })
    expect(session.stopReason).toBe('end_turn')
  })

  it('aap 133: survives unknown tools, events and fields, and leaves unanswered calls pending', async () => {
    const odd = 'event: later\ndata: {"event":"later","x":{"y":1}}\n\n'
    const world = answering(json({ sessionId: 's', extra: 1 }, 201), stream([odd, call('u1', 'unknown'), waits]))
    const session = await start(world)
    for await (const event of session.send('go')) void event
    expect(session.pending.map(({ toolCallId }) => toolCallId)).toEqual(['u1'])
    expect(session.stopReason).toBe('tool_use')
  })

  it('aap 134: sends only changed options and tools, and again when the turn was refused', async () => {
    const world = answering(json({ sessionId: 's' }, 201), json({ error: 'busy' }, 409), stream([STOP]), stream([STOP]))
    const session = await start(world)
    session.configure({ options: { language: 'en', tone: 'dry' } })
    await expect(session.send('one').next()).rejects.toThrow('busy')
    for (const text of ['one', 'two']) for await (const event of session.send(text)) void event
    expect(world.sent.slice(1).map(({ body }) => (body as { agent?: unknown }).agent)).toEqual([
      { options: { tone: 'dry' } },
      { options: { tone: 'dry' } },
      undefined,
    ])
  })

  it('sends every turn with a key of its own, and again only to a server that knows keys', async () => {
    const cut = stream([], true)
    const world = answering(json({ sessionId: 's' }, 201), cut, stream([`id: 4\n${STOP}`]), cut, stream([STOP]))
    const client = createAapClient({ baseUrl: 'http://server', fetch: world.fetch, reconnect: async () => {} })
    const session = await AapSession.create(client, { agent: { name: 'a' } })
    const send = async () => {
      for await (const event of session.send('go')) void event
    }
    // It has not sent an id yet: it may be one that would run the turn twice.
    await expect(send()).rejects.toThrow(TurnCutOff)
    await send()
    await send()
    const keys = world.sent.slice(1).map(({ headers }) => headers.get('idempotency-key') ?? '')
    expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true)
    expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 1, 2, 2])
    expect(session.messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  })

  it('keeps a step that a crash has cut short apart from the one that says it again', async () => {
    const delta = (id: string, text: string) =>
      `id: ${id}\nevent: text_delta\ndata: {"event":"text_delta","delta":"${text}"}\n\n`
    const frames = [delta('4.0.3', 'one'), delta('4.0.5', ' t'), delta('9.0.3', 'one'), delta('9.0.7', ' two')]
    const session = await start(answering(json({ sessionId: 's' }, 201), stream([...frames, `id: 12\n${STOP}`])))
    for await (const event of session.send('go')) void event
    expect(session.messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'one t' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'one two' }] },
    ])
  })

  it('continues after its cursor, also with a turn that another client began', async () => {
    const world = answering(
      json({ sessionId: 's', agent: { name: 'a' } }),
      json({ history: { full: [] } }),
      stream([`id: 7\n${STOP}`]),
      json({ history: { full: [{ role: 'user', content: 'hi' }] } }),
    )
    const session = await AapSession.load(open(world), 's')
    for await (const event of session.attach('4.0.2')) void event
    expect(world.sent[2]?.url).toBe('http://server/base/sessions/s/events?after=4.0.2')
    expect([session.cursor, session.stopReason, session.messages]).toEqual([
      '7',
      'end_turn',
      [{ role: 'user', content: 'hi' }],
    ])
  })

  it('version 1: resumes the turn that makes the session', async () => {
    const begun = `id: 2\nevent: session_start\ndata: {"event":"session_start","sessionId":"s 1"}\n\n`
    const world = answering(stream([begun], true), stream([`id: 5\n${STOP}`]))
    const client = createAapClient({
      baseUrl: 'http://server',
      version: 1,
      fetch: world.fetch,
      reconnect: async () => {},
    })
    const session = await AapSession.create(client, { agent: { name: 'a' } })
    for await (const event of session.send('go')) void event
    expect(world.sent.map(({ url }) => url)).toEqual([
      'http://server/session',
      'http://server/session/s%201/events?after=2',
    ])
    expect(world.sent[0]?.body).toEqual({
      agent: { name: 'a' },
      messages: [{ role: 'user', content: 'go' }],
      stream: 'delta',
    })
  })

  it('writes the schema of a tool for the model, and checks input before it runs', async () => {
    expect(weather.spec).toMatchObject({ parameters: { type: 'object', required: ['city'] } })
    const context = { toolCallId: 'c', signal: new AbortController().signal }
    expect(await weather.run({ city: 7 }, context)).toMatch(/^Invalid input: city: /)
  })
})
