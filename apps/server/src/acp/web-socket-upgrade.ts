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
  /** The highest preset for users other than `local`. */
  readonly ceiling: Preset
  readonly frameBytes: number
}

interface OpenedSocket {
  readonly webSocket: WebSocket
  readonly streams: FrameStreams
}

/** Shorter than the 30 s after which the most impatient proxies close a silent connection. */
const HEARTBEAT_MS = 15_000
/** How long a client has to close its end. */
const REVOKED_MS = 500
const POLICY_VIOLATION = 1008
const GOING_AWAY = 1001

/**
 * Editors and other clients over the network. Each message is one frame. They need a key, work only in the directories
 * that the operator configured for their user, and cannot start programs on this machine.
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
        streams.admit(caller, socket)
      } catch (error) {
        if (error instanceof HttpRefusal) return refuse(error.status, error.message, error.headers)
        throw error
      }
      // Loaded with the first client.
      const { WebSocketServer } = await import('ws')
      const sockets = new WebSocketServer({
        noServer: true,
        maxPayload: frameBytes,
        perMessageDeflate: false,
        // One frame in each turn of the event loop.
        allowSynchronousEvents: false,
      })
      // Must listen in the same tick: the first frame may arrive together with the handshake.
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

/** Stops reading at once, and cuts a client that does not close its end. */
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
