import type { AcpConnection, AcpConnectionOptions, AcpRights } from '@polylogue/acp'
import type { AcpHandshake } from '@polylogue/acp/light'
import { LOCAL_USER } from '../auth/key-ring.ts'
import type { AttachedClient, ByteStreams } from '../doors/door.ts'
import { paceInput, type FramePace } from '../limits/frame-pace.ts'
import type { Log } from '../log/log.ts'
import { randomBytes } from '../platform/random-bytes.ts'
import { systemClock } from '../platform/system-clock.ts'
import type { ConnectionDeps } from './acp-deps.ts'

/** Every open connection of an editor, by pipe and by WebSocket. */
export interface AcpConnections {
  /** `begin` is called when the connection can be served. `undefined`: the server is stopping. */
  open(begin: () => AcpConnectionOptions): Promise<AcpConnection | undefined>
  /** Whether a turn that an editor began is still running. */
  hasOpenTurns(): boolean
  clients(): readonly AttachedClient[]
  /** Accepts no more connections and closes all. Resolves when the last one is closed. */
  end(): Promise<void>
}

interface OpenConnection {
  readonly connection: AcpConnection
  readonly options: AcpConnectionOptions
  readonly since: number
}

export interface AcpConnectionsDeps {
  /** For one connection with these rights. */
  readonly deps: (rights: AcpRights) => ConnectionDeps
  readonly log: Log
  /** Counts what each user sends. */
  readonly pace: FramePace
}

export function createAcpConnections({ deps, log, pace }: AcpConnectionsDeps): AcpConnections {
  const open = new Set<OpenConnection>()
  let isEnding = false
  return {
    async open(begin) {
      // Loaded with the first editor.
      const { serveAcp } = await import('@polylogue/acp')
      if (isEnding) return undefined
      const begun = begin()
      const { userId } = begun
      const options = { ...begun, input: paceInput(begun.input, (bytes) => pace.took(userId, bytes), systemClock) }
      const own = deps(options.rights)
      const connection = serveAcp(options, own)
      const opened = { connection, options, since: systemClock.now() }
      open.add(opened)
      const fields = { connection: Buffer.from(randomBytes(6)).toString('hex'), user: options.userId }
      log.info({ ...fields, agent: options.agent, profile: options.profile }, 'an editor is there')
      void connection.closed.then(() => {
        open.delete(opened)
        own.sessionServers.leave()
        log.info(fields, 'an editor has left')
      })
      return connection
    },
    hasOpenTurns: () => [...open].some(({ connection }) => connection.hasOpenTurns()),
    clients: () => [...open].flatMap(toClients),
    async end() {
      isEnding = true
      await Promise.all([...open].map(({ connection }) => connection.close('the server is stopping')))
    },
  }
}

function toClients({ connection, options, since }: OpenConnection): readonly AttachedClient[] {
  const client = connection.clientName()
  const shared = {
    userId: options.userId,
    since,
    ...(options.keyId !== undefined && { keyId: options.keyId }),
    ...(client !== undefined && { client }),
  }
  const sessions = connection.sessions()
  if (sessions.length === 0) return [shared]
  return sessions.map((sessionId) => {
    const cursor = connection.cursorOf(sessionId)
    return { ...shared, sessionId, ...(cursor !== undefined && { cursor }) }
  })
}

/** An editor on this machine. It started this process, or its process can open the socket beside `local.key`. */
export function toEditorOptions(
  { profile, resume }: AcpHandshake,
  agent: string,
  streams: ByteStreams,
): AcpConnectionOptions {
  return {
    ...streams,
    userId: LOCAL_USER,
    agent,
    profile,
    ...(resume !== undefined && { resume }),
    rights: { stdioMcpServers: true, editorOffers: true },
    recovery: 'interrupt',
  }
}
