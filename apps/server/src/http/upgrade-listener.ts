import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RefusalWords } from '../doors/find-door.ts'
import type { Phase } from '../phase.ts'
import { STATUS_CODES } from '../platform/node-http.ts'
import type { AccessPolicy } from './access-policy.ts'
import type { AnswerError } from './answer-error.ts'
import type { RequestObserver } from './request-listener.ts'
import { beginTrail } from './request-trail.ts'

const REFUSED_MS = 2_000

/** A path whose requests may switch their connection to another protocol. */
export interface UpgradeRoute {
  readonly path: string
  /** In the `Upgrade` header, in lower case. */
  readonly protocol: string
  /** Accepts the connection or refuses it. */
  upgrade(request: UpgradeRequest): Promise<void>
}

export interface UpgradeRequest {
  readonly incoming: IncomingMessage
  readonly socket: Socket
  /** The bytes after the head of the request. */
  readonly head: Buffer
  refuse(status: number, message: string, headers?: Readonly<Record<string, string>>): void
}

export interface UpgradeListenerDeps {
  readonly policy: Pick<AccessPolicy, 'judge'>
  readonly words: RefusalWords
  readonly phase: () => Phase
  /** Called for refused requests. */
  readonly ended: RequestObserver
  /** For what a route throws before it has accepted the connection. It logs the error. */
  readonly answerError: AnswerError
}

/** Connections that have switched from HTTP. Node's server no longer tracks them. */
export interface UpgradedSockets {
  /** Cuts all open ones. */
  cut(): void
}

/** Checks an upgrade request as every other request is checked, before its route sees it. */
export function listenForUpgrades(
  server: Server,
  routes: readonly UpgradeRoute[],
  { policy, words, phase, ended, answerError }: UpgradeListenerDeps,
): UpgradedSockets {
  const open = new Set<Duplex>()
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const [path = ''] = incoming.url?.split('?', 1) ?? []
    const route = routes.find((candidate) => candidate.path === path)
    const trail = beginTrail(incoming)
    if (route !== undefined) trail.route = route.path
    const send = (refusal: UpgradeRefusal): void => {
      sendRefusal(socket, refusal)
      ended(trail, incoming, { headersSent: true, statusCode: refusal.status, writableFinished: true })
    }
    const refuse: UpgradeRequest['refuse'] = (status, message, headers) =>
      send({ status, body: words(path, { status, message }), headers })
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // The route sees the end of the socket. A client that cuts it is not an error.
    socket.on('error', () => socket.destroy())
    const verdict = policy.judge(incoming)
    if (!verdict.allowed) {
      trail.route = 'refused'
      return refuse(verdict.status, verdict.error)
    }
    if (route === undefined) return refuse(404, 'Not found')
    if (phase() !== 'ready')
      return refuse(503, phase() === 'starting' ? 'The server is starting.' : 'The server is shutting down.')
    socket.setTimeout(0)
    socket.setNoDelay(true)
    route.upgrade({ incoming, socket, head, refuse }).catch((error: unknown) => {
      const answer = answerError(error, incoming)
      // If the route has written something, more bytes could become part of it.
      if (socket.bytesWritten === 0) send(answer)
      else socket.destroy()
    })
  })
  return {
    cut() {
      for (const socket of open) socket.destroy()
    },
  }
}

interface UpgradeRefusal {
  readonly status: number
  readonly body: object
  readonly headers: Readonly<Record<string, string>> | undefined
}

function sendRefusal(socket: Socket, { status, body, headers = {} }: UpgradeRefusal): void {
  const text = JSON.stringify(body)
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}
  const lines = Object.entries({ ...challenge, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nX-Content-Type-Options: nosniff\r\n${lines.join('')}` +
      `Connection: close\r\n\r\n${text}`,
  )
  // A client that keeps its end open is cut.
  setTimeout(() => socket.destroy(), REFUSED_MS).unref()
}
