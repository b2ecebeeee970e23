import type {
  AgentCatalog,
  Clock,
  Engine,
  KeyRecord,
  MemoryStore,
  ModelCatalog,
  ScheduleBook,
  SessionView,
  UserId,
} from '@polylogue/engine'
import type { BodyLimits, OpenReads } from '@polylogue/kit'
import type { IncomingMessage } from 'node:http'
import type { DescribedOperation } from './operation.ts'
import type { Describe } from '../projection/scene.ts'

/** The calling user. `revoked` aborts when the key is revoked. */
export interface Caller {
  readonly userId: UserId
  readonly keyId: string
  /** `false`: a browser whose sign-in is too old to make keys. */
  readonly mayMakeKeys?: boolean
  readonly revoked: AbortSignal
}

export type AuthOutcome =
  | { readonly type: 'caller'; readonly caller: Caller }
  | {
      readonly type: 'refused'
      readonly status: 401 | 403 | 415 | 429
      readonly error: string
      readonly retryAfterS?: number
    }

/** The API keys of users. Another user's key counts as unknown. */
export interface ApiKeys {
  /** Includes browser sign-ins, but no revoked or expired keys. */
  list(userId: UserId): Promise<readonly KeyRecord[]>
  createApiKey(userId: UserId, name: string): Promise<{ readonly record: KeyRecord; readonly plain: string }>
  rename(id: string, name: string, userId: UserId): Promise<boolean>
  /** Revokes the key at once. */
  revoke(id: string, userId: UserId): Promise<boolean>
}

export interface BladeRestDeps {
  readonly engine: Engine
  readonly agents: AgentCatalog & { readonly defaultName: string }
  readonly models: Pick<ModelCatalog, 'find' | 'list'>
  readonly memories: MemoryStore
  readonly schedules: ScheduleBook
  /** The agent of tasks that name none. */
  readonly timezone: string
  readonly keys: ApiKeys
  readonly clock: Clock
  readonly describe: Describe
  /** The version of this server. */
  readonly version: string
  readonly bodies: BodyLimits
  readonly reads: OpenReads
  /** Paths below `/api` of other protocols, which answer 404 themselves. */
  readonly foreignPaths: readonly string[]
  /** Operations of other protocols in the same document. */
  otherOperations?(): readonly DescribedOperation[]
  authenticate(incoming: IncomingMessage): Promise<AuthOutcome>
  /**
   * Reads an uploaded file by its path `uploads/<name>` in the session's workspace. Returns `undefined` when it does not
   * exist or is larger than `mostBytes`. Contract: never leaves the workspace.
   */
  readSentFile(session: SessionView, path: string, mostBytes: number): Promise<Uint8Array | undefined>
  /** Logs an unexpected error and returns its id. */
  report(error: unknown, incoming: IncomingMessage): string
}
