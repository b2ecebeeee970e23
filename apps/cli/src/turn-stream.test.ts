import type { OwnerResponse } from '@polylogue/server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OwnerLink, OwnerRequest } from './owner-link.ts'
import { attachTurn, runTurn } from './turn-stream.ts'

/** What the owner does with one request: these chunks, then the end of the stream, or a cut. */
type Script =
  | 'unreachable'
  | { readonly chunks?: readonly string[]; readonly isCut?: boolean; readonly status?: number }

function createOwner(scripts: readonly Script[]) {
  const requests: OwnerRequest[] = []
  let reconnects = 0
  const link: OwnerLink = {
    isEmbedded: false,
    async request(request) {
      const script = scripts[requests.push(request) - 1]
      if (script === undefined || script === 'unreachable') throw new Error('ECONNREFUSED')
      return toResponse(script)
    },
    async reconnect() {
      reconnects += 1
    },
    async close() {},
  }
  return { link, requests, reconnects: () => reconnects }
}

function toResponse({ chunks = [], isCut = false, status = 200 }: Exclude<Script, string>): OwnerResponse {
  const text = async () => (status === 200 ? chunks.join('') : JSON.stringify({ error: `refused with ${status}` }))
  return {
    status,
    headers: {},
    text,
    json: async () => JSON.parse(await text()) as unknown,
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
const TURN = { sessionId: 's', mode: 'delta', body: { messages: [] } } as const

async function names(events: AsyncIterable<{ readonly json: object }>): Promise<unknown[]> {
  return (await Array.fromAsync(events)).map(({ json }) => ('event' in json ? json.event : undefined))
}

describe('runTurn', () => {
  it('takes the rest from the last event after a cut and never posts the turn again', async () => {
    const { link, requests } = createOwner([{ chunks: [START, HELLO], isCut: true }, { chunks: [STOP] }])
    expect(await names(runTurn(link, TURN))).toEqual(['turn_start', 'text_delta', 'turn_stop'])
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /aap/v3/sessions/s/turns',
      'GET /aap/v3/sessions/s/events?after=7.0.5',
    ])
  })

  it('takes a stream that just ends for a cut', async () => {
    const { link, reconnects } = createOwner([{ chunks: [START] }, 'unreachable', { status: 503 }, { chunks: [STOP] }])
    expect(await names(runTurn(link, TURN))).toEqual(['turn_start', 'turn_stop'])
    expect(reconnects()).toBe(3)
  })

  it('asks again with the same key when no event has come, so that the turn runs once', async () => {
    const { link, requests } = createOwner([{ chunks: [], isCut: true }, { chunks: [START, STOP] }])
    expect(await names(runTurn(link, TURN))).toEqual(['turn_start', 'turn_stop'])
    expect(requests).toHaveLength(2)
    expect(requests[1]).toEqual(requests[0])
    expect(requests[0]?.headers?.['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('gives up after eight attempts in which nothing came, however each of them ended', async () => {
    const cut: Script = { chunks: [], isCut: true }
    const patient = createOwner([{ chunks: [START], isCut: true }, ...Array<Script>(7).fill(cut), { chunks: [STOP] }])
    expect(await names(runTurn(patient.link, TURN))).toEqual(['turn_start', 'turn_stop'])
    const { link, requests } = createOwner([{ chunks: [START], isCut: true }, ...Array<Script>(8).fill(cut)])
    await expect(names(runTurn(link, TURN))).rejects.toThrow('The connection was lost.')
    expect(requests).toHaveLength(9)
  })

  it('passes a refusal on in the words of the server', async () => {
    const { link } = createOwner([{ status: 409 }])
    await expect(names(runTurn(link, TURN))).rejects.toThrow('refused with 409')
  })

  it('keeps events that it does not know', async () => {
    const { link } = createOwner([{ chunks: [START, frame('6', { event: 'weather' }), STOP] }])
    expect(await names(runTurn(link, TURN))).toEqual(['turn_start', 'weather', 'turn_stop'])
  })

  it('tells a whole answer as the events it would have been', async () => {
    const answer = { stopReason: 'end_turn', messages: [{ role: 'assistant', content: 'Hello' }] }
    const { link } = createOwner(['unreachable', { chunks: [JSON.stringify(answer)] }])
    expect(await names(runTurn(link, { ...TURN, mode: 'none' }))).toEqual(['turn_start', 'text', 'turn_stop'])
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
  const idOf = (path: string) => new URL(path, 'http://owner').searchParams.get('after')

  /** An owner that tells the turn from the cursor on and cuts each connection after so many characters. */
  function createCuttingOwner(cuts: readonly number[]): OwnerLink {
    let connections = 0
    return {
      isEmbedded: false,
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
      async close() {},
    }
  }

  it('is heard whole, every event once and in order, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(600), { maxLength: 7 }), async (cuts) => {
        const heard = await Array.fromAsync(runTurn(createCuttingOwner(cuts), TURN))
        expect(heard.map(({ json }) => json)).toEqual(frames.map(([, event]) => event))
      }),
    )
  })
})

describe('attachTurn', () => {
  it('begins at the cursor', async () => {
    const { link, requests } = createOwner([{ chunks: [STOP] }])
    expect(await names(attachTurn(link, 's', '8'))).toEqual(['turn_stop'])
    expect(requests.map(({ path }) => path)).toEqual(['/aap/v3/sessions/s/events?after=8'])
  })
})
