import type { BadInput, Expectation } from './bad-input.ts'
import type { Outcome } from './connection.ts'
import type { RawResponse } from './response-reader.ts'
import { FramingError, createSseParser } from '../support/sse-parser.ts'

/** What is wrong with what a server did; nothing when all is well. */
export function judgeOutcome({ expected }: Pick<BadInput, 'expected'>, outcome: Outcome): readonly string[] {
  const { responses, connection, problem } = outcome
  const { answers, statuses } = expected
  const complaints = problem === undefined ? [] : [problem]
  const wanted = typeof answers === 'number' ? answers : 1
  const isClosedInstead = answers === 'one, or closed instead' && responses.length === 0 && connection === 'closed'
  if (answers !== 'whatever' && !isClosedInstead && problem === undefined && responses.length !== wanted) {
    complaints.push(`${responses.length} answers instead of ${wanted}`)
  }
  for (const response of responses) {
    const { status } = response
    if (!isExpected(status, statuses)) {
      const wish = statuses === 'refused' ? '4xx' : statuses?.join(' or ')
      complaints.push(`answered ${status}, expected ${wish}: ${excerpt(response)}`)
    }
    complaints.push(...judgeResponse(response))
  }
  return complaints
}

function isExpected(status: number, statuses: Expectation['statuses']): boolean {
  if (statuses === undefined) return true
  return statuses === 'refused' ? status >= 400 : statuses.includes(status)
}

/** Refusals that say the server cannot now, and when to come back. Whoever runs the inputs counts them. */
export function isByContract({ status, headers }: RawResponse): boolean {
  return status === 507 || (status === 503 && /^\d+$/.test(headers.get('retry-after') ?? ''))
}

/** Rules for every answer to anything. */
export function judgeResponse(response: RawResponse): readonly string[] {
  const { status, headers, body } = response
  // An operation that this server does not have is no failure of it.
  if (status >= 500 && status !== 501 && !isByContract(response)) return [`answered ${status}: ${excerpt(response)}`]
  if (status === 429) return ['refused for coming too often: nobody looked at it']
  const complaints = [...headers.keys()].flatMap((name) => (KNOWN_HEADERS.has(name) ? [] : [`a header ${name}`]))
  const type = headers.get('content-type') ?? ''
  if (status >= 400) complaints.push(...judgeRefusal(response))
  else if (type.startsWith('application/json')) complaints.push(...judgeJson(body))
  else if (type === 'text/event-stream') complaints.push(...judgeStream(body))
  else if (body.length > 0 && !PAGE_TYPES.test(type)) complaints.push(`a body of the type ${JSON.stringify(type)}`)
  return complaints
}

const PAGE_TYPES = /^(?:text\/(?:html|css|javascript|plain)|image\/svg\+xml)\b/

/** Anything else would be a line that somebody talked the server into. */
const KNOWN_HEADERS = new Set([
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'cache-control',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'date',
  'etag',
  'idempotency-key',
  'keep-alive',
  'referrer-policy',
  'retry-after',
  'set-cookie',
  'transfer-encoding',
  'vary',
  'www-authenticate',
  'x-accel-buffering',
  'x-content-type-options',
  'x-frame-options',
])

const LONGEST_REFUSAL = 4096
/** A stack, a path of this machine, a query or the words of a library. */
const INSIDE_KNOWLEDGE =
  /\n\s+at |node_modules|node:internal|\.ts:\d|\.js:\d|file:\/\/|\/work\/|\/root\/|\/home\/|\/tmp\/|SQLITE|sqlite|SELECT |INSERT |RangeError|TypeError|SyntaxError|ZodError|is not a function|of undefined|Maximum call stack/

function judgeRefusal({ status, headers, body }: RawResponse): readonly string[] {
  // Of an answer to HEAD, and of one that we did not stay for, there is only the head.
  if (body.length === 0) return []
  const complaints: string[] = []
  const text = body.toString('utf8')
  if (body.length > LONGEST_REFUSAL) complaints.push(`a refusal of ${body.length} bytes: ${text.slice(0, 200)}`)
  if (INSIDE_KNOWLEDGE.test(text)) complaints.push(`a refusal that tells too much: ${text.slice(0, 300)}`)
  const value = parseJson(text)
  if (!headers.get('content-type')?.startsWith('application/json') || !isRefusal(value)) {
    complaints.push(`a ${status} that is neither {"error"} nor {"detail"}: ${text.slice(0, 200)}`)
  }
  return complaints
}

function isRefusal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return (
    ('error' in value && typeof value.error === 'string') || ('detail' in value && typeof value.detail === 'string')
  )
}

function judgeJson(body: Buffer): readonly string[] {
  if (body.length === 0 || parseJson(body.toString('utf8')) !== undefined) return []
  return [`JSON that is none: ${body.subarray(0, 200).toString('utf8')}`]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const EVENTS = new Set([
  'session_start',
  'turn_start',
  'text_delta',
  'thinking_delta',
  'text',
  'thinking',
  'tool_call',
  'tool_result',
  'turn_stop',
  'resync',
])
const EVENT_ID = /^\d{1,15}(?:\.\d{1,9}\.\d{1,12})?$/

/** Only frames that we would write, whatever was put into them. One that is cut off may be cut because we left. */
function judgeStream(body: Buffer): readonly string[] {
  try {
    const frames = createSseParser().feed(body)
    return frames.flatMap(({ event, id, data }) => {
      const complaints: string[] = []
      if (!EVENTS.has(event)) complaints.push(`an event ${JSON.stringify(event)}`)
      if (id !== undefined && !EVENT_ID.test(id)) complaints.push(`an event id ${JSON.stringify(id)}`)
      if (event === 'tool_call' && !isObject(data['input'])) complaints.push('a call whose input is no object')
      return complaints
    })
  } catch (error) {
    if (error instanceof FramingError) return [error.message]
    throw error
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function excerpt({ body }: RawResponse): string {
  return body.subarray(0, 200).toString('utf8')
}
