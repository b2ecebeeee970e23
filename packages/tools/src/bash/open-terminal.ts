// The only code that runs a command in an editor's terminal. It checks the grant first.
import { requireGrant, type EditorTerminal, type EditorTerminals, type Grant, type ToolCallId } from '@polylogue/engine'
import { type SandboxArgv, buildTerminalArgv } from './command-argv.ts'
import { BASH_TOOL, requireSameCommand } from './spawn-command.ts'

export interface TerminalStart {
  readonly grant: Grant
  readonly command: string
  readonly cwd: string
  readonly shell: string
  readonly environment: Readonly<Record<string, string>>
  readonly sandbox?: SandboxArgv
}

export interface TerminalPlace {
  readonly terminals: EditorTerminals
  readonly toolCallId: ToolCallId
  readonly outputBytes: number
  readonly signal: AbortSignal
}

/** `undefined` when the editor refused and started nothing. Throws unless exactly this command was granted. */
export function openTerminal(start: TerminalStart, place: TerminalPlace): Promise<EditorTerminal | undefined> {
  const { grant, command, cwd, shell, environment, sandbox } = start
  const { terminals, signal, ...rest } = place
  requireGrant(grant, BASH_TOOL)
  requireSameCommand(grant, command, cwd)
  return terminals.open({ ...buildTerminalArgv(command, shell, sandbox), ...rest, cwd, environment }, signal)
}
