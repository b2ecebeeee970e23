// HTTP to configured MCP servers. A response is one JSON message or a stream of events. Limits its size, the time of an
// answer, and the rate of a stream.
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Clock } from '@polylogue/engine'
import { z } from 'zod'
import { createJsonCount } from './json-count.ts'
import { FLOOD_WINDOW_MS, LARGEST_MESSAGE, MOST_UNASKED } from './mcp-limits.ts'
import { createRateLimit } from './rate-limit.ts'

export interface BoundedFetchOptions {
  readonly clock: Clock
  /** How long the answer to a request may take. Nobody waits for it after that. */
  readonly answerMs: number
  /** How to reach the server. Default: any address. */
  readonly fetch?: FetchLike
  /** Called once for each response that is cut off. */
  readonly onViolation: (problem: string) => void
}

/** Responses without a body, by their status. */
const BODILESS = new Set([101, 204, 205, 304])
const NEW_LINE = 0x0a
const RETURN = 0x0d

/** The error code that we use when a server does not answer. */
export const ANSWER_CUT = -32_099

export function createBoundedFetch(options: BoundedFetchOptions): FetchLike {
  const { clock, answerMs, fetch: reach = fetch, onViolation } = options
  const countEvent = createRateLimit(MOST_UNASKED, FLOOD_WINDOW_MS, () => clock.now())
  return async (url, init) => {
    const response = await reach(url, init)
    if (response.body === null || BODILESS.has(response.status)) return response
    const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true
    const check = isStream ? createEventCheck(countEvent) : createSizeCheck()
    const reader = response.body.getReader()
    // The SDK stops waiting at its deadline, but goes on reading what a slow server sends.
    const overdue =
      init?.method === 'POST' ? clock.setTimer(answerMs, () => void reader.cancel().catch(() => {})) : undefined
    const bounded = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, problem } = await readNext(reader)
        if (value !== undefined) {
          try {
            return controller.enqueue(check.push(value))
          } catch (error) {
            overdue?.cancel()
            onViolation(error instanceof Error ? error.message : String(error))
            await reader.cancel().catch(() => {})
            throw error
          }
        }
        overdue?.cancel()
        // Otherwise the caller would wait forever. A stream with ids can be resumed.
        const id = isStream && !check.isResumable() ? requestIdOf(init?.body) : undefined
        if (id !== undefined) controller.enqueue(cutAnswer(id))
        else if (problem !== undefined) return controller.error(problem)
        controller.close()
      },
      cancel(reason) {
        overdue?.cancel()
        return reader.cancel(reason)
      },
    })
    const { status, statusText, headers } = response
    return new Response(bounded, { status, statusText, headers })
  }
}

interface Piece {
  readonly value?: Uint8Array
  readonly problem?: unknown
}

async function readNext(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Piece> {
  try {
    const { value } = await reader.read()
    return value === undefined ? {} : { value }
  } catch (problem) {
    return { problem }
  }
}

const request = z.object({ id: z.union([z.number(), z.string()]), method: z.string() })

function requestIdOf(body: unknown): number | string | undefined {
  if (typeof body !== 'string') return undefined
  try {
    return request.safeParse(JSON.parse(body)).data?.id
  } catch {
    return undefined
  }
}

function cutAnswer(id: number | string): Uint8Array {
  const error = { code: ANSWER_CUT, message: 'it ended the answer in the middle' }
  return Buffer.from(`\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`)
}

interface Check {
  /** Returns what to read instead of the chunk. Throws if a limit is exceeded. */
  push(chunk: Uint8Array): Uint8Array
  /** Whether there were events with ids. */
  isResumable(): boolean
}

function createSizeCheck(): Check {
  const count = createJsonCount()
  let size = 0
  return {
    push(chunk) {
      size += chunk.length
      if (size > LARGEST_MESSAGE) throw tooLarge()
      count.push(chunk)
      return chunk
    },
    isResumable: () => false,
  }
}

/** So many empty lines count as one message: they cost time, but are part of none. */
const BLANKS_COUNTED = 64

/**
 * Events end with an empty line. Every line end becomes a line feed: the parser of the SDK takes quadratic time for
 * carriage returns.
 */
function createEventCheck(countEvent: (size: number) => void): Check {
  const count = createJsonCount()
  let size = 0
  let column = 0
  let idLetters = 0
  let hasIds = false
  let blanks = 0
  let isAfterReturn = false

  function endLine(): void {
    if (column === 0 && size > 0) {
      countEvent(size)
      count.restart()
      size = 0
    } else if (column === 0) {
      blanks = (blanks + 1) % BLANKS_COUNTED
      if (blanks === 0) countEvent(BLANKS_COUNTED)
    }
    column = 0
    idLetters = 0
  }

  return {
    push(chunk) {
      const read = new Uint8Array(chunk.length)
      let length = 0
      let begin = 0
      for (const byte of chunk) {
        const isSecondHalf = byte === NEW_LINE && isAfterReturn
        isAfterReturn = byte === RETURN
        if (isSecondHalf) continue
        if (byte === NEW_LINE || byte === RETURN) {
          count.push(read.subarray(begin, length))
          begin = length
          endLine()
          read[length] = NEW_LINE
        } else {
          if (column < ID_FIELD.length && byte === ID_FIELD[column] && idLetters === column) idLetters += 1
          if (idLetters === ID_FIELD.length) hasIds = true
          column += 1
          size += 1
          read[length] = byte
        }
        length += 1
      }
      if (size > LARGEST_MESSAGE) throw tooLarge()
      count.push(read.subarray(begin, length))
      return read.subarray(0, length)
    },
    isResumable: () => hasIds,
  }
}

const ID_FIELD = Buffer.from('id:')
const tooLarge = (): Error => new Error(`it sent a message larger than ${LARGEST_MESSAGE} bytes`)
