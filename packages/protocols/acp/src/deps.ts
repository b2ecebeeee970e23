import type {
  AgentCatalog,
  Clock,
  Digest,
  Engine,
  LogEntry,
  MemoryStore,
  ModelCatalog,
  Preset,
  SessionId,
  UserId,
  Workspaces,
} from '@polylogue/engine'
import type { EditorDesk } from './editor/editor-offers.ts'

/** `standard`: for today's editors. `seed`: every value as the field reference of Agentao writes it. */
export type AcpProfile = 'standard' | 'seed'

/** Takes effect when `session/new` comes for the first time. */
export interface AcpResume {
  /** An id, the beginning of one, or the beginning of a time; absent: the session that changed last. */
  readonly selector?: string
  /** Whether the history is told before the answer with the session's id, or after it. */
  readonly replay: 'before' | 'after'
}

/** What a client may ask for, whoever its user is. */
export interface AcpRights {
  readonly stdioMcpServers: boolean
  /** Its own files and terminals may take the place of the server's. */
  readonly editorOffers: boolean
  /** A working directory lies in one of them; absent: any. */
  readonly directories?: readonly string[]
  /** Absent: all. */
  readonly presets?: readonly Preset[]
}

export interface AcpConnectionOptions {
  /** Bytes from the client. */
  readonly input: ReadableStream<Uint8Array>
  /** Bytes to the client. */
  readonly output: WritableStream<Uint8Array>
  readonly userId: UserId
  /** The API key that pays for turns begun here. */
  readonly keyId?: string
  /** Of new sessions. */
  readonly agent: string
  readonly profile: AcpProfile
  readonly resume?: AcpResume
  readonly rights: AcpRights
  /**
   * Of turns begun here, when their process dies. `interrupt` is an editor on stdio: when its input ends, they are
   * cancelled. `continue` is a client of the network: they go on without it, and their prompts are answered as
   * interrupted.
   */
  readonly recovery: 'interrupt' | 'continue'
}

export interface AcpConnection {
  /** Resolves when nothing is read, written or waited for any more. Never rejects. */
  readonly closed: Promise<void>
  /** As if the input had ended: answers what is open, for 5 s at most. Idempotent. */
  close(reason?: string): Promise<void>
  /** Whether a turn that was begun here has not ended. */
  hasOpenTurns(): boolean
  /** The sessions that the client has open. */
  sessions(): readonly SessionId[]
  /** The name that the client gave itself in its handshake. */
  clientName(): string | undefined
}

export interface NamedValue {
  readonly name: string
  readonly value: string
}

/** An MCP server that a client brought along for one session. Never trusted by itself. */
export type GivenMcpServer =
  | {
      readonly type: 'stdio'
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: readonly NamedValue[]
    }
  | {
      readonly type: 'sse' | 'http'
      readonly name: string
      readonly url: string
      readonly headers: readonly NamedValue[]
    }

/** Holds MCP servers for one session. */
export interface SessionServers {
  /**
   * Replaces those that the session had. Resolves when each of them is connected or has failed, in bounded time. A server
   * that cannot be had is told as a problem, in a sentence fit for the user, and is no reason to reject.
   */
  open(sessionId: SessionId, servers: readonly GivenMcpServer[], problem: (message: string) => void): Promise<void>
  /** Idempotent. */
  close(sessionId: SessionId): Promise<void>
}

/** Whether there are credentials for a provider. */
export interface ProviderResolver {
  /** `provider` is in lower case. Contract: may reject; what it rejects with may hold a key, and is told to nobody. */
  canResolve(provider: string, profile: AcpProfile): Promise<boolean>
}

export interface AcpLimits {
  /** A longer frame ends the connection. */
  readonly frameBytes: number
  readonly jsonDepth: number
  /** How much may wait to be written before sessions stop telling; they go on where they were. */
  readonly outBufferBytes: number
  /** Sessions on one page of a list. */
  readonly pageSize: number
}

export const DEFAULT_LIMITS: AcpLimits = {
  frameBytes: 32 * 1024 * 1024,
  jsonDepth: 64,
  outBufferBytes: 512 * 1024,
  pageSize: 50,
}

/** What agents remember of users. */
export type MemoryBook = Pick<MemoryStore, 'listMemories' | 'addMemory' | 'removeMemories'>

export interface AcpDeps {
  readonly engine: Engine
  readonly agents: AgentCatalog
  readonly models: ModelCatalog
  readonly providers: ProviderResolver
  readonly sessionServers: SessionServers
  /** Absent: tools ask no editor. */
  readonly editors?: EditorDesk
  /** Absent: nothing can be remembered. */
  readonly memories?: MemoryBook
  /** Where sessions work that were not begun here. */
  readonly workspaces: Pick<Workspaces, 'locate' | 'prepare' | 'open'>
  readonly clock: Clock
  readonly digest: Digest
  /** Of the server, for the handshake. */
  readonly version: string
  readonly limits: AcpLimits
  log(entry: LogEntry): void
}
