// HTTP as MCP uses it, to the servers that were configured: one JSON message a response, or a stream of events. Neither
// may be larger, and the stream no faster, than we can bear.
import type { FetchLike } from '@modelcontextprotocol/client'
import type { Clock } from '@polylogue/engine'
import { FLOOD_WINDOW_MS, LARGEST_MESSAGE, MOST_UNASKED } from './mcp-limits.ts'
import { createRateLimit } from './rate-limit.ts'

export interface BoundedFetchOptions {
  readonly clock: Clock
  /** Told once for each response that is cut off. */
  readonly onViolation: (problem: string) => void
}

/** Responses without a body, by their status. */
const BODILESS = new Set([101, 204, 205, 304])
const NEW_LINE = 0x0a
const RETURN = 0x0d

export function createBoundedFetch({ clock, onViolation }: BoundedFetchOptions): FetchLike {
  const countEvent = createRateLimit(MOST_UNASKED, FLOOD_WINDOW_MS, () => clock.now())
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null || BODILESS.has(response.status)) return response
    const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true
    const check = isStream ? createEventCheck(countEvent) : createSizeCheck()
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          try {
            check(chunk)
          } catch (error) {
            onViolation(error instanceof Error ? error.message : String(error))
            throw error
          }
          controller.enqueue(chunk)
        },
      }),
    )
    const { status, statusText, headers } = response
    return new Response(bounded, { status, statusText, headers })
  }
}

type Check = (chunk: Uint8Array) => void

function createSizeCheck(): Check {
  let size = 0
  return (chunk) => {
    size += chunk.length
    if (size > LARGEST_MESSAGE) throw tooLarge()
  }
}

/** Events end with an empty line. */
function createEventCheck(countEvent: () => void): Check {
  let size = 0
  let isLineEmpty = true
  return (chunk) => {
    for (const byte of chunk) {
      if (byte === RETURN) continue
      if (byte !== NEW_LINE) {
        isLineEmpty = false
        size += 1
        continue
      }
      if (isLineEmpty && size > 0) {
        size = 0
        countEvent()
      }
      isLineEmpty = true
    }
    if (size > LARGEST_MESSAGE) throw tooLarge()
  }
}

const tooLarge = (): Error => new Error(`it sent a message larger than ${LARGEST_MESSAGE} bytes`)
