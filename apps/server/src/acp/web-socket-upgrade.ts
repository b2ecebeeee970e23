import type { WebSocket } from 'ws'
import type { AcpRights } from '@polylogue/acp'
import type { AgentCatalog, Preset } from '@polylogue/engine'
import type { AuthOutcome, Authenticate } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import type { UpgradeRoute } from '../http/upgrade-listener.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import type { OpenStreams } from '../limits/open-streams.ts'
import { isAboveCeiling } from '../permissions/cap-presets.ts'
import { PRESETS } from '../permissions/permissions-schema.ts'
import { rootsOf, type AcpSettings } from './acp-settings.ts'
import type { AcpConnections } from './acp-connections.ts'
import { toFrameStreams, type FrameStreams } from './web-socket-streams.ts'

export interface WebSocketUpgradeDeps {
  readonly connections: AcpConnections
  readonly agents: Pick<AgentCatalog, 'find'> & { readonly defaultName: string }
  readonly authenticate: Authenticate
  readonly streams: OpenStreams
  readonly settings: AcpSettings
  /** The most that others than the user `local` may give a session. */
  readonly ceiling: Preset
  readonly frameBytes: number
}

interface OpenedSocket {
  readonly webSocket: WebSocket
  readonly streams: FrameStreams
}

/** Shorter than the 30 s after which the most impatient proxies close a silent connection. */
const HEARTBEAT_MS = 15_000
/** For a client's goodbye. */
const REVOKED_MS = 500
const POLICY_VIOLATION = 1008
const GOING_AWAY = 1001

/**
 * Editors and other clients that come over the network, each frame a message. They show a key like everybody, work in the
 * directories that the operator opened to their user, and start no programs on this machine.
 */
export function createWebSocketUpgrade(deps: WebSocketUpgradeDeps): UpgradeRoute {
  const { connections, agents, authenticate, streams, settings, ceiling, frameBytes } = deps
  return {
    path: '/acp',
    protocol: 'websocket',
    async upgrade({ incoming, socket, head, refuse }) {
      const outcome = await authenticate(incoming)
      if (outcome.type === 'refused') return refuse(outcome.status, outcome.error, headersOf(outcome))
      const { caller } = outcome
      const query = new URLSearchParams(incoming.url?.split('?')[1])
      const agent = query.get('agent') ?? agents.defaultName
      const profile = query.get('profile') ?? 'standard'
      if (profile !== 'standard' && profile !== 'seed') return refuse(400, 'profile: standard or seed')
      if (agents.find(agent) === undefined) return refuse(404, 'There is no such agent.')
      try {
        streams.admit(caller.keyId, socket)
      } catch (error) {
        if (error instanceof HttpRefusal) return refuse(error.status, error.message, error.headers)
        throw error
      }
      // A server that no editor comes to never loads it.
      const { WebSocketServer } = await import('ws')
      const sockets = new WebSocketServer({ noServer: true, maxPayload: frameBytes, perMessageDeflate: false })
      // Listened to in the same tick: a client may send its first frame with its last breath of the handshake.
      const opened = await new Promise<OpenedSocket>((resolve) => {
        sockets.handleUpgrade(incoming, socket, head, (webSocket) =>
          resolve({ webSocket, streams: toFrameStreams(webSocket) }),
        )
      })
      endWhenRevoked(opened, caller)
      keepAlive(opened.webSocket)
      const { input, output } = opened.streams
      const connection = await connections.open(() => ({
        input,
        output,
        userId: caller.userId,
        keyId: caller.keyId,
        agent,
        profile,
        rights: rightsOf(caller),
        recovery: 'continue',
      }))
      if (connection === undefined) opened.webSocket.close(GOING_AWAY, 'The server is shutting down.')
    },
  }

  function rightsOf({ userId }: Caller): AcpRights {
    return {
      stdioMcpServers: false,
      editorOffers: false,
      directories: rootsOf(settings, userId),
      presets: PRESETS.filter((preset) => !isAboveCeiling(preset, userId, ceiling)),
    }
  }
}

function headersOf(outcome: Extract<AuthOutcome, { type: 'refused' }>): Readonly<Record<string, string>> {
  if (outcome.status === 401) return { 'WWW-Authenticate': 'Bearer' }
  return outcome.status === 429 ? { 'Retry-After': String(outcome.retryAfterS) } : {}
}

/** A client that does not hang up by itself is cut off, and not heard until then. */
function endWhenRevoked({ webSocket, streams }: OpenedSocket, { revoked }: Caller): void {
  const end = (): void => {
    streams.stopReading()
    webSocket.close(POLICY_VIOLATION, 'The key was revoked.')
    const cut = setTimeout(() => webSocket.terminate(), REVOKED_MS)
    webSocket.once('close', () => clearTimeout(cut))
  }
  if (revoked.aborted) return end()
  revoked.addEventListener('abort', end, { once: true })
  webSocket.once('close', () => revoked.removeEventListener('abort', end))
}

function keepAlive(webSocket: WebSocket): void {
  const timer = setInterval(() => webSocket.ping(), HEARTBEAT_MS)
  webSocket.once('close', () => clearInterval(timer))
}
