import type { SessionId, ToolCallId } from '../ids.ts'

/**
 * What a person's editor does for the tools of a session: as much as it can and may. Contract: every method settles in
 * bounded time and soon after its signal aborts; only `exited` waits for as long as the command runs. The implementation
 * checks and limits what the editor answers, because that is data from outside.
 */
export interface Editor {
  readonly reader?: EditorReader
  readonly writer?: EditorWriter
  readonly terminals?: EditorTerminals
}

export interface EditorReader {
  /** Returns the text in the editor, including unsaved changes. Rejects when the editor does not return it. */
  read(path: string, signal: AbortSignal): Promise<string>
}

export interface EditorWriter {
  /** `refused`: the editor answered that it does not write this. Rejects when the editor cannot be asked. */
  write(path: string, text: string, signal: AbortSignal): Promise<'written' | 'refused'>
}

export interface EditorTerminals {
  /**
   * Starts a command in a new terminal and shows the terminal in place of the call's output. Returns `undefined` when the
   * editor refused and nothing was started. When it rejects, the command may or may not have been started.
   */
  open(command: TerminalCommand, signal: AbortSignal): Promise<EditorTerminal | undefined>
}

export interface TerminalCommand {
  readonly toolCallId: ToolCallId
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** The terminal keeps the last bytes of the output. */
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
  /** Rejects when the editor cannot report the exit. */
  exited(signal: AbortSignal): Promise<TerminalExit>
  output(): Promise<TerminalOutput>
  /** Ends the command. The output stays readable. Never rejects. */
  kill(): Promise<void>
  /** Ends the command and frees the terminal. Every terminal must be released. Never rejects. */
  release(): Promise<void>
}

/** The editor that has a session open now. */
export type EditorOf = (sessionId: SessionId) => Editor | undefined
