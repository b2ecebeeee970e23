import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createTurnClient,
  type TurnRequest,
  type TurnResponse,
  type TurnTransport,
  type StreamedUpdate,
  type TurnInput,
} from './index.ts'

/** What the server does with one request: these chunks, then the end of the stream, or a cut. */
type Script =
  | 'unreachable'
  | { readonly chunks?: readonly string[]; readonly isCut?: boolean; readonly status?: number }

function createServer(scripts: readonly Script[]) {
  const requests: TurnRequest[] = []
  let reconnects = 0
  const link: TurnTransport = {
    async request(request) {
      const script = scripts[requests.push(request) - 1]
      if (script === undefined || script === 'unreachable') throw new Error('ECONNREFUSED')
      return toResponse(script)
    },
    async reconnect() {
      reconnects += 1
    },
  }
  return { link, requests, reconnects: () => reconnects }
}

function toResponse({ chunks = [], isCut = false, status = 200 }: Exclude<Script, string>): TurnResponse {
  const text = async () => (status === 200 ? chunks.join('') : JSON.stringify({ error: `refused with ${status}` }))
  return {
    status,
    text,
    async *chunks() {
      yield* chunks
      if (isCut) throw new Error('socket hang up')
    },
  }
}

const frame = (id: string, event: object) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`
const START = frame('5', { event: 'turn_start' })
const HELLO = frame('7.0.5', { event: 'text_delta', delta: 'Hello' })
const STOP = frame('9', { event: 'turn_stop', stopReason: 'end_turn' })
const TURN: TurnInput = { sessionId: 's', stream: 'delta', say: 'Hi' }
const runTurn = (transport: TurnTransport, input: TurnInput) => createTurnClient(transport).runTurn(input)

async function names(events: AsyncIterable<{ readonly json: object }>): Promise<unknown[]> {
  return (await Array.fromAsync(events)).map(({ json }) => ('event' in json ? json.event : undefined))
}

describe('runTurn', () => {
  it('takes the rest from the last event after a cut and never posts the turn again', async () => {
    const { link, requests } = createServer([{ chunks: [START, HELLO], isCut: true }, { chunks: [STOP] }])
    expect(await names(runTurn(link, TURN))).toEqual(['turn_start', 'text_delta', 'turn_stop'])
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /aap/v3/sessions/s/turns',
      'GET /aap/v3/sessions/s/events?after=7.0.5',
    ])
  })

  it('takes a stream that just ends for a cut', async () => {
    const { link, reconnects } = createServer([{ chunks: [START] }, 'unreachable', { status: 503 }, { chunks: [STOP] }])
    expect(await names(runTurn(link, TURN))).toEqual(['turn_start', 'turn_stop'])
    expect(reconnects()).toBe(3)
  })

  it('asks again with the same key when no event has come, so that the turn runs once', async () => {
    const { link, requests } = createServer([{ chunks: [], isCut: true }, { chunks: [START, STOP] }])
    expect(await names(runTurn(link, TURN))).toEqual(['turn_start', 'turn_stop'])
    expect(requests).toHaveLength(2)
    expect(requests[1]).toEqual(requests[0])
    expect(requests[0]?.headers?.['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('gives up after eight attempts in which nothing came, however each of them ended', async () => {
    const cut: Script = { chunks: [], isCut: true }
    const patient = createServer([{ chunks: [START], isCut: true }, ...Array<Script>(7).fill(cut), { chunks: [STOP] }])
    expect(await names(runTurn(patient.link, TURN))).toEqual(['turn_start', 'turn_stop'])
    const { link, requests } = createServer([{ chunks: [START], isCut: true }, ...Array<Script>(8).fill(cut)])
    await expect(names(runTurn(link, TURN))).rejects.toThrow('The connection was lost.')
    expect(requests).toHaveLength(9)
  })

  it('passes a refusal on in the words of the server', async () => {
    const { link } = createServer([{ status: 409 }])
    await expect(names(runTurn(link, TURN))).rejects.toThrow('refused with 409')
  })

  it('keeps events that it does not know', async () => {
    const { link } = createServer([{ chunks: [START, frame('6', { event: 'weather' }), STOP] }])
    expect(await names(runTurn(link, TURN))).toEqual(['turn_start', 'weather', 'turn_stop'])
  })

  it('tells a whole answer as the events it would have been', async () => {
    const answer = { stopReason: 'end_turn', messages: [{ role: 'assistant', content: 'Hello' }] }
    const { link } = createServer(['unreachable', { chunks: [JSON.stringify(answer)] }])
    expect(await names(runTurn(link, { ...TURN, stream: 'none' }))).toEqual(['turn_start', 'text', 'turn_stop'])
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
  function createCuttingServer(cuts: readonly number[]): TurnTransport {
    let connections = 0
    return {
      async request({ path }) {
        const after = frames.findIndex(([id]) => id === idOf(path))
        const text = frames
          .slice(after + 1)
          .map(([id, event]) => frame(id, event))
          .join('')
        const cut = cuts[connections++]
        return toResponse({ chunks: [text.slice(0, cut)], isCut: cut !== undefined && cut < text.length })
      },
      async reconnect() {},
    }
  }

  it('is heard whole, every event once and in order, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(600), { maxLength: 7 }), async (cuts) => {
        const heard = await Array.fromAsync(runTurn(createCuttingServer(cuts), TURN))
        expect(heard.map(({ json }) => json)).toEqual(frames.map(([, event]) => event))
      }),
    )
  })
})

describe('attachTurn', () => {
  it('begins at the cursor', async () => {
    const { link, requests } = createServer([{ chunks: [STOP] }])
    expect(await names(createTurnClient(link).attachTurn('s', '8'))).toEqual(['turn_stop'])
    expect(requests.map(({ path }) => path)).toEqual(['/aap/v3/sessions/s/events?after=8'])
  })
})

describe('what a client is told', () => {
  const told = async (...events: readonly object[]): Promise<readonly StreamedUpdate['update'][]> => {
    const chunks = [...events.map((event, index) => frame(String(index + 1), event)), STOP]
    return (await Array.fromAsync(runTurn(createServer([{ chunks }]).link, TURN))).map(({ update }) => update)
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

describe('what a client says', () => {
  it('becomes messages', async () => {
    const { link, requests } = createServer([{ chunks: [STOP] }, { chunks: [STOP] }])
    await names(runTurn(link, TURN))
    await names(
      runTurn(link, {
        ...TURN,
        say: [
          { type: 'approval', toolCallId: 'a', granted: false, reason: 'not now' },
          { type: 'result', toolCallId: 'q', content: 'Blue' },
        ],
      }),
    )
    expect(requests.map(({ body }) => body)).toEqual([
      { stream: 'delta', messages: [{ role: 'user', content: 'Hi' }] },
      {
        stream: 'delta',
        messages: [
          { role: 'tool_permission', toolCallId: 'a', granted: false, reason: 'not now' },
          { role: 'tool', toolCallId: 'q', content: 'Blue' },
        ],
      },
    ])
  })
})

it('lists the agents with the finest stream of each', async () => {
  const agents = [
    { name: 'a', capabilities: { stream: { none: {}, message: {}, delta: {} } } },
    { name: 'b', capabilities: { stream: { message: {} } } },
    { name: 'c' },
  ]
  const { link } = createServer([{ chunks: [JSON.stringify({ version: 3, agents })] }])
  expect(await createTurnClient(link).listAgents()).toEqual([
    { name: 'a', stream: 'delta' },
    { name: 'b', stream: 'message' },
    { name: 'c', stream: 'none' },
  ])
})
