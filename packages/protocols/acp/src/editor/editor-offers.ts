import type { SessionId, ToolCallId } from '@polylogue/engine'

/** What a client does for the tools of a session that it has open: as much as it said it can, and as is allowed. */
export interface EditorOffers {
  readonly reader?: ClientReader
  readonly writer?: ClientWriter
  readonly terminals?: ClientTerminals
}

export interface ClientReader {
  /** Unsaved changes included. Rejects when the client does not tell it. */
  read(path: string, signal: AbortSignal): Promise<string>
}

export interface ClientWriter {
  /** Rejects when the client does not say that it has written. */
  write(path: string, text: string, signal: AbortSignal): Promise<void>
}

export interface ClientTerminals {
  /**
   * Starts a command, and shows its terminal in the call. `undefined`: the client would not, and nothing was started. When
   * it rejects, nobody knows whether something was.
   */
  open(command: TerminalCommand, signal: AbortSignal): Promise<ClientTerminal | undefined>
}

export interface TerminalCommand {
  readonly toolCallId: ToolCallId
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly outputBytes: number
}

export interface ClientTerminal {
  exited(signal: AbortSignal): Promise<{ readonly exitCode?: number; readonly signal?: string }>
  output(): Promise<{ readonly text: string; readonly isCut: boolean }>
  /** Never rejects. */
  kill(): Promise<void>
  /** Never rejects. */
  release(): Promise<void>
}

/** Where tools find the editor of a session. */
export interface EditorDesk {
  /** Whether tools may work on what editors have, and in their terminals. */
  readonly allowsFiles: boolean
  readonly allowsTerminals: boolean
  /** The newest one of a session is the one that is asked. The answer ends it; it may be called twice. */
  register(sessionId: SessionId, offers: EditorOffers): () => void
}
