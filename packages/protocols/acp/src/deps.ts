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
import type { FollowMessage, SessionCommands } from '@polylogue/kit'
import type { EditorRegistry } from './editor/editor-registry.ts'

/** `standard` is for current editors. `seed` follows the field reference of Agentao literally. */
export type AcpProfile = 'standard' | 'seed'

/** Applies to the first `session/new`. */
export interface AcpResume {
  /** An id, the prefix of an id, or the prefix of a time. Absent: the most recently changed session. */
  readonly selector?: string
  /** Whether the history is sent before or after the response with the session id. */
  readonly replay: 'before' | 'after'
}

/** What a client may ask for, independent of its user. */
export interface AcpRights {
  readonly stdioMcpServers: boolean
  /** Tools may use the client's files and terminals. */
  readonly editorOffers: boolean
  /** Working directories must lie in one of these. Absent: any directory. */
  readonly directories?: readonly string[]
  /** Absent: every preset. */
  readonly presets?: readonly Preset[]
}

export interface AcpConnectionOptions {
  /** Bytes from the client. */
  readonly input: ReadableStream<Uint8Array>
  /** Bytes to the client. */
  readonly output: WritableStream<Uint8Array>
  readonly userId: UserId
  /** The API key that pays for turns of this connection. */
  readonly keyId?: string
  /** The agent of new sessions. */
  readonly agent: string
  readonly profile: AcpProfile
  readonly resume?: AcpResume
  readonly rights: AcpRights
  /**
   * What happens to turns of this connection when the server process dies. `interrupt` is for an editor on stdio: the end
   * of its input cancels them. `continue` is for network clients: turns continue without the client, and their prompts are
   * answered as interrupted.
   */
  readonly recovery: 'interrupt' | 'continue'
}

export interface AcpConnection {
  /** Resolves when all reading, writing and waiting has ended. Never rejects. */
  readonly closed: Promise<void>
  /** Acts like the end of the input: answers open requests within 5 s. Idempotent. */
  close(reason?: string): Promise<void>
  /** Whether a turn of this connection is open. */
  hasOpenTurns(): boolean
  /** The sessions that the client has open. */
  sessions(): readonly SessionId[]
  /** The last recorded event of an open session that the client got. */
  cursorOf(sessionId: SessionId): number | undefined
  /** The client's name from the handshake. */
  clientName(): string | undefined
}

export interface NamedValue {
  readonly name: string
  readonly value: string
}

/** An MCP server that a client provides for one session. Not trusted by default. */
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

/** Connects and closes the MCP servers of sessions. */
export interface SessionServers {
  /**
   * Replaces the session's servers. Resolves when each server is connected or has failed, in bounded time. Calls `problem`
   * for each failed server with a sentence for the user, and does not reject.
   */
  open(sessionId: SessionId, servers: readonly GivenMcpServer[], problem: (message: string) => void): Promise<void>
  /** Idempotent. */
  close(sessionId: SessionId): Promise<void>
}

/** Finds out whether a provider has credentials. */
export interface ProviderResolver {
  /** `provider` is in lower case. Contract: may reject. The error may contain a key, so it is never logged or sent. */
  canResolve(provider: string, profile: AcpProfile): Promise<boolean>
}

export interface AcpLimits {
  /** A longer frame ends the connection. */
  readonly frameBytes: number
  readonly jsonDepth: number
  /** When this many bytes wait to be written, sessions pause. They continue where they stopped. */
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

/** The memories about users. */
export type MemoryBook = Pick<MemoryStore, 'listMemories' | 'addMemory' | 'removeMemories'>

export interface AcpModels extends ModelCatalog {
  /** Resolves when servers of the user's own have said which models they have, in bounded time. Never rejects. */
  askServers(): Promise<void>
}

export interface AcpDeps {
  readonly engine: Engine
  readonly agents: AgentCatalog
  readonly models: AcpModels
  readonly providers: ProviderResolver
  readonly sessionServers: SessionServers
  /** Absent: tools do not use editors. */
  readonly editors?: EditorRegistry
  /** The commands that every door has. */
  readonly commands: SessionCommands
  /** Ends the commands of a session that run in the background. Called when its client closes it. */
  endBackground?(sessionId: SessionId): Promise<void>
  /** Absent: there is no `/memory` command. */
  readonly memories?: MemoryBook
  /** The working directories of sessions from other doors. */
  readonly workspaces: Pick<Workspaces, 'locate' | 'prepare' | 'open'>
  readonly clock: Clock
  readonly digest: Digest
  /** The server's version, for the handshake. */
  readonly version: string
  readonly limits: AcpLimits
  /** Absent: requests are not traced. */
  readonly follow?: FollowMessage
  log(entry: LogEntry): void
}
