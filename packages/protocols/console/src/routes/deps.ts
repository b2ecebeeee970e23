import type {
  AgentCatalog,
  Budgets,
  Clock,
  Engine,
  EventStore,
  KeyRecord,
  MemoryStore,
  PermissionRule,
  Preset,
  RandomBytes,
  Recorded,
  ReplayReport,
  RuleStore,
  SessionId,
  Tool,
  UsageStore,
  UserId,
  UserRole,
  Verdict,
} from '@polylogue/engine'
import type { BodyLimits, OpenReads, SessionCommands } from '@polylogue/kit'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AttachedClient, PresentedMessage } from '../contract/doors.ts'
import type { TurnsPage } from '../contract/turns.ts'
import type { ModelList } from '../contract/models.ts'
import type { BacktestResult } from '../contract/permissions.ts'
import type { NodeLease, ServerNode } from '../contract/nodes.ts'
import type { CardOf } from './card-answers.ts'
import type { McpServer, McpTool, ServerStatus } from '../contract/server.ts'

/** Who is asking. */
export interface Caller {
  readonly userId: UserId
  readonly via: 'key' | 'cookie' | 'owner-socket'
  /** The key or sign-in that was shown. */
  readonly keyId: string
  /** Whether the caller may make keys: a cookie may only shortly after its sign-in. */
  readonly mayMakeKeys: boolean
  /** Aborts when the key is revoked. */
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

/** How requests are let in and read. */
export interface RequestDeps {
  authenticate(incoming: IncomingMessage): Promise<AuthOutcome>
  /** How large bodies can be. */
  readonly bodyLimits: { readonly small: BodyLimits; readonly conversation: BodyLimits }
  readonly reads: OpenReads
  readonly streams: {
    /** Counts an answer that stays open, until it is closed. What it throws is for the server to answer. */
    admit(caller: Caller, outgoing: ServerResponse): void
  }
  readonly clock: Clock
}

/** The API keys and sign-ins of all users. */
export interface Keys {
  /** Without a user, those of everybody. Revoked and expired ones are left out. */
  list(userId?: UserId): Promise<readonly KeyRecord[]>
  /** `undefined` when the user has as many keys as a user can have. */
  requestApiKey(userId: UserId, name: string): Promise<{ readonly record: KeyRecord; readonly plain: string }>
  /** `false` when this user, or without one anybody, has no such key. */
  revoke(id: string, userId?: UserId): Promise<boolean>
}

export interface KnownUser {
  readonly userId: UserId
  readonly role: UserRole
  readonly createdAt?: number
  readonly keys: number
  readonly browsers: number
  readonly lastUsedAt?: number
}

/** The users of the server. */
export interface Users {
  list(): Promise<readonly KnownUser[]>
  isAdmin(userId: UserId): Promise<boolean>
  /** `false` when the name is taken, also by what a former user left. */
  add(userId: UserId, role: UserRole): Promise<boolean>
  /** `false` when there is no such user. */
  changeRole(userId: UserId, role: UserRole): Promise<boolean>
  remove(
    userId: UserId,
    options: { readonly deleteSessions: boolean },
  ): Promise<
    | { readonly type: 'removed'; readonly sessions: number }
    | { readonly type: 'unknown' }
    | { readonly type: 'refused'; readonly reason: 'local' | 'has-sessions' }
  >
}

/** What the operator set about permissions. */
export interface OperatorPermissions {
  readonly deny: readonly Omit<PermissionRule, 'action'>[]
  readonly allowHosts: readonly string[]
  readonly blockHosts: readonly string[]
  /** The mildest preset that users other than `local` can give a session. */
  readonly ceiling: Preset
}

export interface JudgedBy {
  readonly userId: UserId
  readonly preset: Preset
  readonly rules: readonly PermissionRule[]
}

export interface BacktestQuery {
  readonly userId: UserId
  readonly proposed: PermissionRule
  /** The rules that the user has. */
  readonly rules: readonly PermissionRule[]
  /** Tried before the others instead of after them. */
  readonly isFirst: boolean
  readonly calls: number
}

/** How one door shows a session's log. A message depends on the events before it. */
export interface PresentedDoor {
  readonly name: string
  readonly presentation: {
    /** Contract: called with the events in order, from the first, and not before the last call has resolved. */
    recorded(recorded: Recorded): Promise<readonly PresentedMessage[]>
    /** No more events are at hand: returns the messages that waited for the next one. */
    settle(): readonly PresentedMessage[]
  }
}

/** All doors of the server. */
export interface Doors {
  /** Those that can show a log. */
  present(session: { readonly userId: UserId; readonly sessionId: SessionId }): readonly PresentedDoor[]
  /** At all nodes. */
  clients(sessionId: SessionId): Promise<readonly AttachedClient[]>
}

/** A page of a chat. */
export interface RowsQuery {
  readonly userId: UserId
  readonly sessionId: SessionId
  readonly loop?: string | undefined
  readonly before?: number | undefined
  readonly of?: string | undefined
  readonly limit: number
  readonly at?: number | undefined
}

export interface Replays {
  /** Plays the log through today's engine. `undefined`: the log is too long. */
  run(sessionId: SessionId): Promise<ReplayReport | undefined>
  /** The agent and those that it can call, as data. */
  describeAgents(name: string): readonly { readonly name: string }[]
}

export interface ConsoleDeps extends RequestDeps {
  readonly engine: Pick<
    Engine,
    | 'execute'
    | 'listSessions'
    | 'findSessions'
    | 'readSession'
    | 'streamHistory'
    | 'readWaiting'
    | 'readQueue'
    | 'attach'
  >
  readonly events: Pick<EventStore, 'readHead' | 'readEvents' | 'readBlob'>
  readonly commands: SessionCommands
  readonly agents: AgentCatalog & { readonly defaultName: string }
  readonly keys: Keys
  readonly users: Users
  /** A link that signs a browser in, once. `undefined` when the server listens on no address. */
  signInLink(userId: UserId): Promise<{ readonly url: string; readonly expiresAt: number } | undefined>
  /** An address that shows a session in a frame, once. `undefined` when no page is listed, or there is no https address. */
  embedLink(
    userId: UserId,
    sessionId: SessionId,
  ): Promise<{ readonly url: string; readonly expiresAt: number } | undefined>
  /** The pages that may show a session. */
  readonly embedHosts: readonly string[]
  /** One-time codes, each for one card. `redeem` returns whom the code was made for, once. */
  readonly cardCodes: {
    issue(userId: UserId, card: CardOf): Promise<{ readonly code: string; readonly expiresAt: number }>
    redeem(code: string, card: CardOf): Promise<UserId | undefined>
  }
  readonly memories: MemoryStore
  readonly usage: Pick<UsageStore, 'sumUsage'>
  readonly rules: RuleStore
  readonly doors: Doors
  /** Also of a session that its owner shares, without the owner's memories. */
  readRows(query: RowsQuery): Promise<Omit<TurnsPage, 'last'>>
  readonly permissions: OperatorPermissions
  isAboveCeiling(preset: Preset, userId: UserId): boolean
  /** What becomes of the calls of a tool, by their kind: each verdict once. */
  judgeTool(tool: Tool, by: JudgedBy): readonly Verdict['decision'][]
  /** The budgets of an agent for turns of this key. */
  budgetsOf(keyId: string): { readonly currency: string; of(agent: string): Budgets }
  backtest(query: BacktestQuery): Promise<Omit<BacktestResult, 'rule' | 'warnings'>>
  readonly replay: Replays
  status(): ServerStatus
  listModels(): Promise<ModelList>
  /** `lastError` is shown to the user `local` only. */
  mcp(): { readonly servers: readonly McpServer[]; readonly tools: readonly McpTool[] }
  /** The nodes that use the same storage, and which of them runs which session. */
  nodes(): Promise<{ readonly nodes: readonly ServerNode[]; readonly leases: readonly NodeLease[] }>
  /** Whether the user owns the machine's files: the user `local`. */
  isOperator(userId: UserId): boolean
  /** A picture of the public web. Rejects with a sentence. */
  fetchImage(url: string): Promise<{ readonly type: string; readonly bytes: Uint8Array }>
  readonly random: RandomBytes
}
