// HTTP to configured MCP servers. A response is one JSON message or a stream of events. Limits its size, and the rate of
// the stream.
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Clock } from '@polylogue/engine'
import { z } from 'zod'
import { createJsonCount } from './json-count.ts'
import { FLOOD_WINDOW_MS, LARGEST_MESSAGE, MOST_UNASKED } from './mcp-limits.ts'
import { createRateLimit } from './rate-limit.ts'

export interface BoundedFetchOptions {
  readonly clock: Clock
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

export function createBoundedFetch({ clock, fetch: reach = fetch, onViolation }: BoundedFetchOptions): FetchLike {
  const countEvent = createRateLimit(MOST_UNASKED, FLOOD_WINDOW_MS, () => clock.now())
  return async (url, init) => {
    const response = await reach(url, init)
    if (response.body === null || BODILESS.has(response.status)) return response
    const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true
    const check = isStream ? createEventCheck(countEvent) : createSizeCheck()
    const reader = response.body.getReader()
    const bounded = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, problem } = await readNext(reader)
        if (value !== undefined) {
          try {
            check.push(value)
          } catch (error) {
            onViolation(error instanceof Error ? error.message : String(error))
            await reader.cancel().catch(() => {})
            throw error
          }
          return controller.enqueue(value)
        }
        // Otherwise the caller would wait forever. A stream with ids can be resumed.
        const id = isStream && !check.isResumable() ? requestIdOf(init?.body) : undefined
        if (id !== undefined) controller.enqueue(cutAnswer(id))
        else if (problem !== undefined) return controller.error(problem)
        controller.close()
      },
      cancel: (reason) => reader.cancel(reason),
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
  /** Throws if a limit is exceeded. */
  push(chunk: Uint8Array): void
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
    },
    isResumable: () => false,
  }
}

/** Events end with an empty line. */
function createEventCheck(countEvent: (size: number) => void): Check {
  const count = createJsonCount()
  let size = 0
  let column = 0
  let idLetters = 0
  let hasIds = false
  return {
    push(chunk) {
      let begin = 0
      for (const [index, byte] of chunk.entries()) {
        if (byte === RETURN) continue
        if (byte !== NEW_LINE) {
          if (column < ID_FIELD.length && byte === ID_FIELD[column] && idLetters === column) idLetters += 1
          if (idLetters === ID_FIELD.length) hasIds = true
          column += 1
          size += 1
          continue
        }
        if (column === 0 && size > 0) {
          countEvent(size)
          count.push(chunk.subarray(begin, index))
          count.restart()
          begin = index
          size = 0
        }
        column = 0
        idLetters = 0
      }
      if (size > LARGEST_MESSAGE) throw tooLarge()
      count.push(chunk.subarray(begin))
    },
    isResumable: () => hasIds,
  }
}

const ID_FIELD = Buffer.from('id:')
const tooLarge = (): Error => new Error(`it sent a message larger than ${LARGEST_MESSAGE} bytes`)
