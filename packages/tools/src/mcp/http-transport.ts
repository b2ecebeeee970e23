import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import type { Clock } from '@polylogue/engine'
import { createBoundedFetch } from './bounded-fetch.ts'
import type { Allowance } from '../web/allowance.ts'
import type { McpReach } from './mcp-server.ts'
import { createPublicFetch } from './public-fetch.ts'

export interface HttpTransportOptions {
  readonly reach: Extract<McpReach, { type: 'http' | 'sse' }>
  readonly clock: Clock
  /** Only addresses of the public network, and those that are allowed. */
  readonly publicOnly?: Allowance
}

/** Redirects stay within the origin, so that headers with secrets reach nobody else. */
export function createHttpTransport({ reach, clock, publicOnly }: HttpTransportOptions): {
  readonly transport: Transport
  readonly problem: () => string | undefined
  readonly endSession: () => Promise<void>
} {
  let problem: string | undefined
  const boundedFetch = createBoundedFetch({
    clock,
    ...(publicOnly && { fetch: createPublicFetch(publicOnly) }),
    onViolation(why) {
      problem ??= why
      // Not now: the stream that is to be closed is being read.
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

/** Of the stream that carries notifications. It is no loss to do without: the list of tools is read at every connect. */
const RECONNECTION = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
}
