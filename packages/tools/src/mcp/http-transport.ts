import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import type { Clock } from '@polylogue/engine'
import { createBoundedFetch } from './bounded-fetch.ts'
import type { Allowance } from '../web/allowance.ts'
import { CONNECT_MS } from './mcp-limits.ts'
import type { McpReach } from './mcp-server.ts'
import { createPublicFetch } from './public-fetch.ts'

export interface HttpTransportOptions {
  readonly reach: Extract<McpReach, { type: 'http' | 'sse' }>
  readonly clock: Clock
  readonly deadlineMs: number
  /** Only public and explicitly allowed addresses. */
  readonly publicOnly?: Allowance
}

/** Redirects stay within the origin, so that secret headers reach no other server. */
export function createHttpTransport({ reach, clock, deadlineMs, publicOnly }: HttpTransportOptions): {
  readonly transport: Transport
  readonly problem: () => string | undefined
  readonly endSession: () => Promise<void>
} {
  let problem: string | undefined
  const boundedFetch = createBoundedFetch({
    clock,
    answerMs: Math.max(CONNECT_MS, deadlineMs),
    ...(publicOnly && { fetch: createPublicFetch(publicOnly) }),
    onViolation(why) {
      problem ??= why
      // Deferred, because the stream to close is being read.
      queueMicrotask(() => void transport.close().catch(() => {}))
    },
  })
  const options = { fetch: boundedFetch, requestInit: { headers: { ...reach.headers } } }
  const url = new URL(reach.url)
  const transport: Transport =
    reach.type === 'sse'
      ? new SSEClientTransport(url, options)
      : new StreamableHTTPClientTransport(url, { ...options, reconnectionOptions: RECONNECTION })
  return {
    transport,
    problem: () => problem,
    async endSession() {
      if (!(transport instanceof StreamableHTTPClientTransport)) return
      await transport.terminateSession().catch(() => {})
    },
  }
}

/** Retries of the notification stream. It is optional, because the list of tools is read at every connect. */
const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
}
