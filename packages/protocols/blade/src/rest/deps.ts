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
import type { BodyLimits } from '@polylogue/kit'
import type { IncomingMessage } from 'node:http'
import type { DescribedOperation } from './operation.ts'
import type { Describe } from '../projection/scene.ts'

/** Who is asking. `revoked` aborts when the key is revoked. */
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

/** The API keys of users. A key of somebody else's is an unknown one. */
export interface ApiKeys {
  /** Sign-ins of browsers too. Those that were revoked or have expired are left out. */
  list(userId: UserId): Promise<readonly KeyRecord[]>
  createApiKey(userId: UserId, name: string): Promise<{ readonly record: KeyRecord; readonly plain: string }>
  rename(id: string, name: string, userId: UserId): Promise<boolean>
  /** It opens nothing from now on. */
  revoke(id: string, userId: UserId): Promise<boolean>
}

export interface BladeRestDeps {
  readonly engine: Engine
  readonly agents: AgentCatalog & { readonly defaultName: string }
  readonly models: Pick<ModelCatalog, 'find' | 'list'>
  readonly memories: MemoryStore
  readonly schedules: ScheduleBook
  /** Of tasks that name none. */
  readonly timezone: string
  readonly keys: ApiKeys
  readonly clock: Clock
  readonly describe: Describe
  /** Of this server. */
  readonly version: string
  readonly bodies: BodyLimits
  /** Below `/api`, and somebody else's: what is not there is theirs to say. */
  readonly foreignPaths: readonly string[]
  /** Operations of other protocols that the same document describes. */
  otherOperations?(): readonly DescribedOperation[]
  authenticate(incoming: IncomingMessage): Promise<AuthOutcome>
  /**
   * The bytes of a file that was sent with a message, by its path `uploads/<name>` in the session's workspace; `undefined`
   * where there is none, or it is larger than `mostBytes`. Contract: never leaves the workspace.
   */
  readSentFile(session: SessionView, path: string, mostBytes: number): Promise<Uint8Array | undefined>
  /** Writes down what nobody expected, and returns the id under which it is found. */
  report(error: unknown, incoming: IncomingMessage): string
}
