import type { AcpConnection, AcpConnectionOptions, AcpRights } from '@polylogue/acp'
import { LOCAL_USER } from '../auth/key-ring.ts'
import type { Log } from '../log/log.ts'
import { randomBytes } from '../platform/random-bytes.ts'
import type { ConnectionDeps } from './acp-deps.ts'
import type { AcpHandshake } from './handshake.ts'

/** All that is open here between editors and the engine, whichever way they came. */
export interface AcpConnections {
  /** `begin` is called when nothing stands in the way any more. `undefined`: no more are taken. */
  open(begin: () => AcpConnectionOptions): Promise<AcpConnection | undefined>
  /** Whether a turn that an editor began has not ended. */
  hasOpenTurns(): boolean
  /** Takes no more, and hangs up on all. Resolves when the last one is closed. */
  end(): Promise<void>
}

export interface AcpConnectionsDeps {
  /** For one connection with these rights. */
  readonly deps: (rights: AcpRights) => ConnectionDeps
  readonly log: Log
}

export function createAcpConnections({ deps, log }: AcpConnectionsDeps): AcpConnections {
  const connections = new Set<AcpConnection>()
  let isEnding = false
  return {
    async open(begin) {
      // A server that no editor comes to never loads it.
      const { serveAcp } = await import('@polylogue/acp')
      if (isEnding) return undefined
      const options = begin()
      const own = deps(options.rights)
      const connection = serveAcp(options, own)
      connections.add(connection)
      const fields = { connection: Buffer.from(randomBytes(6)).toString('hex'), user: options.userId }
      log.info({ ...fields, agent: options.agent, profile: options.profile }, 'an editor is there')
      void connection.closed.then(() => {
        connections.delete(connection)
        own.sessionServers.leave()
        log.info(fields, 'an editor has left')
      })
      return connection
    },
    hasOpenTurns: () => [...connections].some((connection) => connection.hasOpenTurns()),
    async end() {
      isEnding = true
      await Promise.all([...connections].map((connection) => connection.close('the server is stopping')))
    },
  }
}

/** An editor on this machine: it has started us, or its process can open the socket beside `local.key`. */
export function toEditorOptions(
  { profile, resume }: AcpHandshake,
  agent: string,
  streams: Pick<AcpConnectionOptions, 'input' | 'output'>,
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
