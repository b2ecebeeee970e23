import { createBladeSockets, type BladeSockets, type ProjectionMarks, type SocketCaller } from '@polylogue/blade'
import { createConfinedFiles } from '@polylogue/tools'
import type { IncomingMessage } from 'node:http'
import type { Authenticate } from '../auth/authenticate.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { jsonLimitsOf } from '../http/read-json-body.ts'
import type { Log } from '../log/log.ts'
import { sha256 } from '../platform/sha256.ts'
import { systemClock } from '../platform/system-clock.ts'
import type { Parts } from '../compose.ts'
import { describeSessions } from './describe-sessions.ts'

export interface BladeSocketParts {
  readonly parts: Parts
  readonly config: LoadedConfig
  readonly log: Log
  readonly authenticate: Authenticate
  /** Whom a connection counts for before it says who it is; `undefined`: for nobody. */
  clientOf(incoming: IncomingMessage): string | undefined
  readonly marks: ProjectionMarks
}

/** The folder in the workspace for files that users send with a message. */
const UPLOADS = 'uploads'
/** Enough for a handshake; nothing else comes before it. */
const UNAUTHENTICATED_BYTES = 64 * 1024

export function createSockets({ parts, config, log, authenticate, clientOf, marks }: BladeSocketParts): BladeSockets {
  const { engine, agents, streams, metrics, workspaces, framePace } = parts
  const { limits } = config
  const files = createConfinedFiles({ protectedSet: parts.protectedSet })
  const sockets = createBladeSockets({
    engine,
    agents,
    clock: systemClock,
    digest: sha256,
    kept: parts.kept,
    ...(parts.nodes && { nodeId: parts.self.nodeId }),
    describe: describeSessions(parts),
    marks,
    limits: {
      messageBytes: limits.imageRequestBytes,
      unauthenticatedBytes: UNAUTHENTICATED_BYTES,
      outBufferBytes: limits.outBufferBytes,
      json: jsonLimitsOf(limits),
    },
    async authenticate(incoming, token): Promise<SocketCaller | undefined> {
      const outcome = await authenticate(token === undefined ? incoming : withToken(incoming, token))
      return outcome.type === 'caller' ? outcome.caller : undefined
    },
    sockets: {
      admit(caller) {
        try {
          return streams.enter(caller)
        } catch (error) {
          if (error instanceof HttpRefusal) return undefined
          throw error
        }
      },
      dropped: () => metrics.droppedReaders.add(),
      took: ({ userId }, bytes) => framePace.took(userId, bytes),
    },
    unknown: {
      perClient: limits.unauthenticatedSockets,
      clientOf,
      refused: () => metrics.refusals.add({ limit: 'unauthenticated-sockets' }),
    },
    async attachFile({ userId, sessionId, name, bytes }) {
      const session = await engine.readSession(userId, sessionId)
      const workspace = await workspaces.prepare(session)
      const path = await files.keep(workspace, UPLOADS, { name, bytes })
      return {
        path,
        remove: () =>
          files.remove(workspace, path).catch((error: unknown) => {
            log.warn({ err: error, sessionId }, 'the file of a refused message could not be deleted')
          }),
      }
    },
    ...(parts.tracing && { follow: parts.tracing.followMessages('blade') }),
    log({ level, message, error, ...fields }) {
      log[level](error === undefined ? fields : { ...fields, err: error }, message)
    },
  })
  parts.onSessionChange({
    changed: (change) => sockets.sessionChanged(change),
    shows: (userId) => sockets.hasUser(userId),
  })
  return sockets
}

/** The same request, as if the token of the handshake had stood in its head. */
function withToken(incoming: IncomingMessage, token: string): IncomingMessage {
  const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
  return Object.create(incoming, { headers: { value: headers } }) as IncomingMessage
}
