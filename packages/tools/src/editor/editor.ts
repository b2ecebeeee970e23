import type { SessionId, ToolCallId } from '@polylogue/engine'

/**
 * What the editor of a person does for the tools of a session, as far as it can and may. Every method settles in bounded
 * time, but for waiting until a command has ended, and soon after its signal aborts. What an editor says is foreign: its
 * answers are checked and bounded by whoever passes them on.
 */
export interface Editor {
  readonly reader?: EditorReader
  readonly writer?: EditorWriter
  readonly terminals?: EditorTerminals
}

export interface EditorReader {
  /** The text as it is in the editor, unsaved changes included. Rejects when the editor does not tell it. */
  read(path: string, signal: AbortSignal): Promise<string>
}

export interface EditorWriter {
  /** Rejects when the editor does not say that it has written. */
  write(path: string, text: string, signal: AbortSignal): Promise<void>
}

export interface EditorTerminals {
  /**
   * Starts a command in a new terminal, and shows that in place of the call's output. `undefined`: the editor would not,
   * and nothing was started. When it rejects, it is not known whether something was.
   */
  open(command: TerminalCommand, signal: AbortSignal): Promise<EditorTerminal | undefined>
}

export interface TerminalCommand {
  readonly toolCallId: ToolCallId
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Of the output, the end is kept. */
  readonly outputBytes: number
}

export interface TerminalExit {
  readonly exitCode?: number
  readonly signal?: string
}

export interface TerminalOutput {
  readonly text: string
  /** The beginning is missing. */
  readonly isCut: boolean
}

export interface EditorTerminal {
  /** Rejects when the editor cannot tell any more. */
  exited(signal: AbortSignal): Promise<TerminalExit>
  output(): Promise<TerminalOutput>
  /** Ends the command; its output stays. Never rejects. */
  kill(): Promise<void>
  /** Ends the command, and gives the terminal back. To be called whatever happened. Never rejects. */
  release(): Promise<void>
}

/** The editor that has a session open at the moment. */
export type EditorOf = (sessionId: SessionId) => Editor | undefined
