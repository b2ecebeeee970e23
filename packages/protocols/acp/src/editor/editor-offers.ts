import type { SessionId, ToolCallId } from '@polylogue/engine'

/** What a client does for the tools of a session it has open: what it advertised and what is allowed. */
export interface EditorOffers {
  readonly reader?: ClientReader
  readonly writer?: ClientWriter
  readonly terminals?: ClientTerminals
}

export interface ClientReader {
  /** Includes unsaved changes. Rejects when the client does not return the text. */
  read(path: string, signal: AbortSignal): Promise<string>
}

export interface ClientWriter {
  /** Rejects when the client does not confirm the write. */
  write(path: string, text: string, signal: AbortSignal): Promise<void>
}

export interface ClientTerminals {
  /**
   * Starts a command and shows its terminal in the call. Returns `undefined` when the client refused and nothing was
   * started. When it rejects, the command may or may not have been started.
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

/** The registry where tools find the editor of a session. */
export interface EditorDesk {
  /** Whether tools may use the files of editors. */
  readonly allowsFiles: boolean
  readonly allowsTerminals: boolean
  /** The latest editor of a session is used. Returns a function that unregisters it; calling it twice is harmless. */
  register(sessionId: SessionId, offers: EditorOffers): () => void
}
