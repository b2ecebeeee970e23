import type { AapVersion, Fetch } from '@polylogue/client/aap'
import type { TestServer } from '../support/test-server.ts'
import { converse, type Told } from './cut-points.ts'

/** What a real server sent for one conversation: enough to serve it again, in memory, with the connection cut anywhere. */
export interface RecordedConversation {
  readonly version: AapVersion
  readonly turns: readonly RecordedTurn[]
  /** Answers to all requests without events, by method and URL. The last one counts. */
  readonly answers: ReadonlyMap<string, Answer>
  /** How many bytes of events came. */
  readonly bytes: number
}

interface RecordedTurn {
  readonly request: string
  readonly sent: unknown
  readonly events: Answer
  /** The answer to the same request with the same key. */
  readonly repeated: Answer
  /** The answers to `events?after=ID`, by URL, for every id of `events` but the last. */
  readonly resumed: ReadonlyMap<string, Answer>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

/** `error`: the connection breaks. `end`: the response ends as if it were complete. `split`: all bytes arrive, in two pieces. */
export const CUTS = ['error', 'end', 'split'] as const
export type Cut = (typeof CUTS)[number]

type Init = Parameters<Fetch>[1]

const nameOf = (url: string, { method }: Init): string => `${method} ${url}`
const wantsEvents = ({ headers }: Init): boolean => headers['accept'] === 'text/event-stream'
const readSent = ({ body = 'null' }: Init): unknown => JSON.parse(body)
const toResponse = ({ status, headers, body }: Answer): Response => new Response(body, { status, headers })

/** A server that knows keys returns the key of the request. */
function withKey(answer: Answer, { headers: { 'idempotency-key': key } }: Init): Answer {
  if (key === undefined || !answer.headers.has('idempotency-key')) return answer
  const headers = new Headers(answer.headers)
  headers.set('idempotency-key', key)
  return { ...answer, headers }
}

async function ask(url: string, init: Init): Promise<Answer> {
  const response = await globalThis.fetch(url, init)
  return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) }
}

/** Talks to the server once. Before each turn goes on, every place where it could be resumed is asked for as well. */
export async function recordConversation(server: TestServer, version: AapVersion): Promise<RecordedConversation> {
  const turns: RecordedTurn[] = []
  const answers = new Map<string, Answer>()
  let bytes = 0
  const fetch: Fetch = async (url, init) => {
    const answer = await ask(url, init)
    if (!wantsEvents(init)) {
      answers.set(nameOf(url, init), answer)
      return toResponse(answer)
    }
    const text = new TextDecoder().decode(answer.body)
    const sessionId = sessionOf(url, text)
    const resumed = new Map<string, Answer>()
    // Nobody resumes after the last event, and the server would wait for the next turn.
    for (const [, id = ''] of [...text.matchAll(/^id: (.+)$/gm)].slice(0, -1)) {
      const session = version === 3 ? 'sessions' : 'session'
      const path = `${server.url}/aap/v${version}/${session}/${sessionId}/events?after=${encodeURIComponent(id)}`
      resumed.set(path, await ask(path, { method: 'GET', headers: init.headers }))
    }
    turns.push({
      request: nameOf(url, init),
      sent: readSent(init),
      events: answer,
      repeated: await ask(url, init),
      resumed,
    })
    bytes += answer.body.length
    return toResponse(answer)
  }
  const { local, server: stored } = await converse(server, version, fetch)
  if (JSON.stringify(local) !== JSON.stringify(stored)) throw new Error('the conversation differs without any cut')
  return { version, turns, answers, bytes }
}

/** A server that forgets the first event after each place where a turn is resumed. */
export function dropFirstResumed(recorded: RecordedConversation): RecordedConversation {
  const drop = (answer: Answer): Answer => {
    const text = new TextDecoder().decode(answer.body)
    return { ...answer, body: new TextEncoder().encode(text.slice(text.indexOf('\n\n') + 2)) }
  }
  const turns = recorded.turns.map((turn) => ({
    ...turn,
    resumed: new Map(Array.from(turn.resumed, ([url, answer]) => [url, drop(answer)])),
  }))
  return { ...recorded, turns }
}

const sessionOf = (url: string, events: string): string =>
  /"sessionId":"([^"]+)"/.exec(events)?.[1] ?? /\/sessions?\/([^/]+)/.exec(new URL(url).pathname.slice(7))?.[1] ?? ''

/** The conversation again with a client of today, cut once after so many bytes of events. Nothing leaves this process. */
export async function converseWithRecording(
  server: TestServer,
  recorded: RecordedConversation,
  { cut, after }: { readonly cut: Cut; readonly after: number },
): Promise<Told> {
  let [begun, passed, isCut] = [0, 0, false]
  let lastKey: string | undefined
  const requests: string[] = []
  const fetch: Fetch = async (url, init) => {
    requests.push(nameOf(url, init))
    if (!wantsEvents(init)) {
      const answer = recorded.answers.get(nameOf(url, init))
      if (answer === undefined) throw new Error(`nothing was recorded for ${nameOf(url, init)}`)
      return toResponse(withKey(answer, init))
    }
    const turn = recorded.turns[init.method === 'GET' ? begun - 1 : turnOf(init)]
    if (turn === undefined) throw new Error(`a turn too many: ${nameOf(url, init)}`)
    const answer = withKey(answerOf(turn, url, init), init)
    const left = isCut ? Infinity : after - passed
    passed += Math.min(left, answer.body.length)
    if (answer.body.length < left) return toResponse(answer)
    isCut = true
    return new Response(cutBody(answer.body, left, cut), { status: answer.status, headers: answer.headers })
  }

  /** A request with the key of the one before it repeats that turn. Any other begins the next one. */
  function turnOf({ headers }: Init): number {
    const key = headers['idempotency-key']
    if (key !== lastKey) begun += 1
    lastKey = key
    return begun - 1
  }

  function answerOf(turn: RecordedTurn, url: string, init: Init): Answer {
    if (init.method !== 'GET') {
      const sameRequest = nameOf(url, init) === turn.request && init.body === JSON.stringify(turn.sent)
      if (!sameRequest) throw new Error(`another request than was recorded: ${nameOf(url, init)} ${init.body}`)
      return requests.filter((request) => request === turn.request).length > 1 && isCut ? turn.repeated : turn.events
    }
    const answer = turn.resumed.get(url)
    if (answer === undefined) throw new Error(`nothing was recorded for ${url}`)
    return answer
  }

  const told = await converse(server, recorded.version, fetch)
  if (begun !== recorded.turns.length) throw new Error(`${begun} turns instead of ${recorded.turns.length}`)
  return { ...told, bytes: passed }
}

function cutBody(body: Uint8Array<ArrayBuffer>, at: number, cut: Cut): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      if (at > 0) controller.enqueue(body.slice(0, at))
    },
    pull(controller) {
      if (cut === 'error') return controller.error(new TypeError('terminated'))
      if (cut === 'split' && at < body.length) controller.enqueue(body.slice(at))
      controller.close()
    },
  })
}
