import type { IncomingHttpHeaders, RequestListener, Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer } from '../platform/node-http.ts'
import { SecuredResponse } from './secured-response.ts'

/** At least how often Node looks for connections that are over their time. */
const CHECK_INTERVAL_MS = 2_000
/** Longer than the usual 60 s of a proxy in front, so that the proxy closes an idle connection first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** TCP keep-alive finds peers that lost power without closing the connection. */
const PROBE_AFTER_MS = 60_000
const MAX_HEADER_BYTES = 16 * 1024

/** See `Limits`. */
export interface RequestTimes {
  readonly headersMs: number
  readonly requestMs: number
}

export interface HttpServerOptions {
  readonly times?: RequestTimes
  /** The protocols that connections may switch to. Offers of any other are ignored. */
  readonly upgradesTo?: readonly string[]
}

/** Every answer has the security headers. */
export function createHttpServer(listener: RequestListener, options: HttpServerOptions = {}): Server {
  const { upgradesTo = [], times: { headersMs, requestMs } = { headersMs: 10_000, requestMs: 30_000 } } = options
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersMs, requestMs),
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER_MS,
      noDelay: true,
      // The access policy refuses requests without a Host itself, in JSON.
      requireHostHeader: false,
      ServerResponse: SecuredResponse,
      shouldUpgradeCallback: ({ headers }) => protocolsIn(headers).some((protocol) => upgradesTo.includes(protocol)),
    },
    (incoming, outgoing) => {
      // Node drops bytes pipelined after an upgrade request, so the connection cannot be used again.
      if (incoming.headers.upgrade !== undefined) outgoing.shouldKeepAlive = false
      listener(incoming, outgoing)
    },
  )
  server.on('clientError', answerBrokenRequest)
  return server
}

function protocolsIn({ upgrade = '' }: IncomingHttpHeaders): readonly string[] {
  return upgrade.split(',').map((protocol) => protocol.trim().toLowerCase())
}

const STATUS_BY_CODE: { readonly [code: string]: readonly [number, string] } = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  // If an answer has begun on this connection, more bytes could become part of it.
  const isFresh = socket instanceof Socket && socket.bytesWritten === 0
  if (!isFresh || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, reason] = STATUS_BY_CODE[error.code ?? ''] ?? [400, 'Bad Request']
  const body = JSON.stringify({ error: reason })
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  )
}
