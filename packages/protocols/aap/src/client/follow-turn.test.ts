import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createAapClient,
  TurnCutOff,
  toOfferedAgents,
  toStreamedUpdate,
  toStreamedUpdates,
  toTurnMessages,
  type AapClient,
  type Fetch,
  type ReceivedEvent,
  type StreamedUpdate,
} from './index.ts'

/** What the server does with one request: these chunks, then the end of the stream, or a cut. */
type Script =
  | 'unreachable'
  | { readonly chunks?: readonly string[]; readonly isCut?: boolean; readonly status?: number }

type Sent = Parameters<Fetch>[1] & { readonly path: string }

function createServer(scripts: readonly Script[]) {
  const requests: Sent[] = []
  let reconnects = 0
  const client = createAapClient({
    baseUrl: '/aap/v3',
    async fetch(path, init) {
      const script = scripts[requests.push({ path, ...init }) - 1]
      if (script === undefined || script === 'unreachable') throw new Error('ECONNREFUSED')
      return toResponse(script)
    },
    async reconnect() {
      reconnects += 1
    },
  })
  return { client, requests, reconnects: () => reconnects }
}

function toResponse({ chunks = [], isCut = false, status = 200 }: Exclude<Script, string>): Response {
  if (status !== 200) return Response.json({ error: `refused with ${status}` }, { status })
  const encoder = new TextEncoder()
  const left = chunks.map((chunk) => encoder.encode(chunk))
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = left.shift()
      if (chunk !== undefined) controller.enqueue(chunk)
      else if (isCut) controller.error(new Error('socket hang up'))
      else controller.close()
    },
  })
  return new Response(body)
}

const frame = (id: string, event: object) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`
const START = frame('5', { event: 'turn_start' })
const HELLO = frame('7.0.5', { event: 'text_delta', delta: 'Hello' })
const STOP = frame('9', { event: 'turn_stop', stopReason: 'end_turn' })
const TURN = { messages: toTurnMessages('Hi'), idempotencyKey: 'once' }
const runTurn = (client: AapClient) => client.streamTurn('s', TURN)

async function names(events: AsyncIterable<ReceivedEvent>): Promise<string[]> {
  return (await Array.fromAsync(events)).map(({ event }) => event.event)
}

describe('streamTurn', () => {
  it('takes the rest from the last event after a cut and never posts the turn again', async () => {
    const { client, requests } = createServer([{ chunks: [START, HELLO], isCut: true }, { chunks: [STOP] }])
    expect(await names(runTurn(client))).toEqual(['turn_start', 'text_delta', 'turn_stop'])
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /aap/v3/sessions/s/turns',
      'GET /aap/v3/sessions/s/events?after=7.0.5',
    ])
  })

  it('takes a stream that just ends for a cut', async () => {
    const { client, reconnects } = createServer([
      { chunks: [START] },
      'unreachable',
      { status: 503 },
      { chunks: [STOP] },
    ])
    expect(await names(runTurn(client))).toEqual(['turn_start', 'turn_stop'])
    expect(reconnects()).toBe(3)
  })

  it('asks again with the same key when no event has come, so that the turn runs once', async () => {
    const { client, requests } = createServer([{ chunks: [], isCut: true }, { chunks: [START, STOP] }])
    expect(await names(runTurn(client))).toEqual(['turn_start', 'turn_stop'])
    expect(requests).toHaveLength(2)
    expect(requests[1]).toEqual(requests[0])
    expect(requests[0]?.headers['idempotency-key']).toBe('once')
  })

  it('gives up after eight attempts that bring nothing', async () => {
    const cut: Script = { chunks: [], isCut: true }
    const patient = createServer([{ chunks: [START], isCut: true }, ...Array<Script>(7).fill(cut), { chunks: [STOP] }])
    expect(await names(runTurn(patient.client))).toEqual(['turn_start', 'turn_stop'])
    const { client, requests } = createServer([{ chunks: [START], isCut: true }, ...Array<Script>(8).fill(cut)])
    await expect(names(runTurn(client))).rejects.toBeInstanceOf(TurnCutOff)
    expect(requests).toHaveLength(9)
  })

  it('passes a refusal on in the words of the server', async () => {
    const { client } = createServer([{ status: 409 }])
    await expect(names(runTurn(client))).rejects.toThrow('refused with 409')
  })

  it('passes on that a turn cannot be resumed', async () => {
    const { client, requests } = createServer([{ chunks: [START], isCut: true }, { status: 404 }])
    await expect(names(runTurn(client))).rejects.toThrow('The turn cannot be resumed: refused with 404')
    expect(requests).toHaveLength(2)
  })

  it('posts a turn again neither without a key nor after events without ids', async () => {
    const unkeyed = createServer(['unreachable', { chunks: [STOP] }])
    await expect(names(unkeyed.client.streamTurn('s', { messages: TURN.messages }))).rejects.toThrow('ECONNREFUSED')
    const bare = createServer([{ chunks: ['data: {"event":"turn_start"}\n\n'], isCut: true }, { chunks: [STOP] }])
    await expect(names(runTurn(bare.client))).rejects.toBeInstanceOf(TurnCutOff)
    expect([unkeyed.requests.length, bare.requests.length]).toEqual([1, 1])
  })

  it('keeps events that it does not know', async () => {
    const { client } = createServer([{ chunks: [START, frame('6', { event: 'weather' }), STOP] }])
    expect(await names(runTurn(client))).toEqual(['turn_start', 'weather', 'turn_stop'])
  })
})

describe('turn', () => {
  const answer = { stopReason: 'end_turn', messages: [{ role: 'assistant', content: 'Hello' }] }
  const whole: Script = { chunks: [JSON.stringify(answer)] }

  it('asks again with the same key until the whole answer has come', async () => {
    const { client, requests } = createServer([
      'unreachable',
      { status: 503 },
      { chunks: ['{"stop'], isCut: true },
      whole,
    ])
    expect(await client.turn('s', TURN)).toEqual(answer)
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(4).fill('once'))
  })

  it('asks once without a key', async () => {
    const { client, requests } = createServer(['unreachable', whole])
    await expect(client.turn('s', { messages: TURN.messages })).rejects.toThrow('ECONNREFUSED')
    expect(requests).toHaveLength(1)
  })

  it('is sent as the events it would have been', async () => {
    const updates = toStreamedUpdates(await createServer([whole]).client.turn('s', TURN))
    expect(updates.map(({ json }) => json['event'])).toEqual(['turn_start', 'text', 'turn_stop'])
  })
})

describe('a stream that is cut', () => {
  const frames = [
    ['5', { event: 'turn_start' }],
    ['6.0.6', { event: 'thinking_delta', delta: 'Hm \u{1F914}' }],
    ['6.1.5', { event: 'text_delta', delta: 'Hello' }],
    ['6.1.7', { event: 'text_delta', delta: ' \n' }],
    ['7', { event: 'tool_call', toolCallId: 'a', name: 'echo', input: { msg: 'x' } }],
    ['8', { event: 'tool_result', toolCallId: 'a', content: 'x' }],
    ['9', { event: 'turn_stop', stopReason: 'end_turn' }],
  ] as const
  const idOf = (path: string) => new URL(path, 'http://server').searchParams.get('after')

  /** A server that tells the turn from the cursor on and cuts each connection after so many characters. */
  function createCuttingServer(cuts: readonly number[]): AapClient {
    let connections = 0
    return createAapClient({
      baseUrl: '/aap/v3',
      async fetch(path) {
        const after = frames.findIndex(([id]) => id === idOf(path))
        const text = frames
          .slice(after + 1)
          .map(([id, event]) => frame(id, event))
          .join('')
        const cut = cuts[connections++]
        return toResponse({ chunks: [text.slice(0, cut)], isCut: cut !== undefined && cut < text.length })
      },
      async reconnect() {},
    })
  }

  it('arrives whole, every event once and in order, for every cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(600), { maxLength: 7 }), async (cuts) => {
        const heard = await Array.fromAsync(runTurn(createCuttingServer(cuts)))
        expect(heard.map(({ event }) => event)).toEqual(frames.map(([, event]) => event))
      }),
    )
  })
})

describe('attachTurn', () => {
  it('begins at the cursor', async () => {
    const { client, requests } = createServer([{ chunks: [STOP] }])
    expect(await names(client.attachTurn('s', '8'))).toEqual(['turn_stop'])
    expect(requests.map(({ path }) => path)).toEqual(['/aap/v3/sessions/s/events?after=8'])
  })
})

describe('what a client receives', () => {
  const told = async (...events: readonly object[]): Promise<readonly StreamedUpdate['update'][]> => {
    const chunks = [...events.map((event, index) => frame(String(index + 1), event)), STOP]
    const received = await Array.fromAsync(runTurn(createServer([{ chunks }]).client))
    return received.map((event) => toStreamedUpdate(event).update)
  }

  it('is in our own words', async () => {
    expect(
      await told(
        { event: 'turn_start' },
        { event: 'thinking', thinking: 'Hm' },
        { event: 'text_delta', delta: 'Hi' },
        { event: 'tool_call', toolCallId: 'a', name: 'echo', input: { msg: 'x' } },
        {
          event: 'tool_result',
          toolCallId: 'a',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', url: 'data:' },
          ],
        },
        { event: 'resync' },
        { event: 'weather' },
      ),
    ).toEqual([
      { type: 'started' },
      { type: 'thinking', text: 'Hm', isWhole: true },
      { type: 'text', text: 'Hi', isWhole: false },
      { type: 'tool-call', toolCallId: 'a', name: 'echo', input: { msg: 'x' } },
      { type: 'tool-result', toolCallId: 'a', text: 'x[image]' },
      { type: 'resync' },
      undefined,
      { type: 'stopped', outcome: 'finished' },
    ])
  })

  it.each([
    [{ stopReason: 'end_turn' }, { outcome: 'finished' }],
    [{ stopReason: 'tool_use' }, { outcome: 'waiting' }],
    [{ stopReason: 'max_tokens' }, { outcome: 'token-limit' }],
    [{ stopReason: 'refusal' }, { outcome: 'refused' }],
    [{ stopReason: 'error', cancelled: true }, { outcome: 'cancelled' }],
    [
      { stopReason: 'error', error: { message: 'It broke.' } },
      { outcome: 'failed', error: 'It broke.' },
    ],
  ])('of the stop %j is %j', async (stop, expected) => {
    expect((await told({ event: 'turn_stop', ...stop }))[0]).toEqual({ type: 'stopped', ...expected })
  })
})

it('turns what a client says into messages', () => {
  expect(toTurnMessages('Hi')).toEqual([{ role: 'user', content: 'Hi' }])
  expect(
    toTurnMessages([
      { type: 'approval', toolCallId: 'a', granted: false, reason: 'not now' },
      { type: 'result', toolCallId: 'q', content: 'Blue' },
    ]),
  ).toEqual([
    { role: 'tool_permission', toolCallId: 'a', granted: false, reason: 'not now' },
    { role: 'tool', toolCallId: 'q', content: 'Blue' },
  ])
})

it('cancels a turn', async () => {
  const { client, requests } = createServer([{ chunks: ['{}'] }, { status: 409 }])
  await client.cancelTurn('a/b')
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /aap/v3/sessions/a%2Fb/cancel'])
  await expect(client.cancelTurn('s')).rejects.toThrow('refused with 409')
})

it('lists the agents with the finest stream of each', async () => {
  const agents = [
    { name: 'a', capabilities: { stream: { none: {}, message: {}, delta: {} } } },
    { name: 'b', capabilities: { stream: { message: {} } } },
    { name: 'c' },
  ]
  const { client } = createServer([{ chunks: [JSON.stringify({ version: 3, agents })] }])
  expect(toOfferedAgents(await client.meta())).toEqual([
    { name: 'a', stream: 'delta' },
    { name: 'b', stream: 'message' },
    { name: 'c', stream: 'none' },
  ])
})
