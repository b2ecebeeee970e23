// The only code that runs a command in an editor's terminal. It checks the grant first.
import { requireGrant, type EditorTerminal, type EditorTerminals, type Grant, type ToolCallId } from '@polylogue/engine'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type SandboxArgv, buildTerminalArgv, writeLauncher } from './command-argv.ts'
import { BASH_TOOL, requireSameCommand } from './spawn-command.ts'

export interface TerminalStart {
  readonly grant: Grant
  readonly command: string
  readonly cwd: string
  readonly shell: string
  readonly environment: Readonly<Record<string, string>>
  readonly sandbox?: SandboxArgv
  /** The folder for launchers of sandboxes. */
  readonly launchers: string
}

export interface TerminalPlace {
  readonly terminals: EditorTerminals
  readonly toolCallId: ToolCallId
  readonly outputBytes: number
  readonly signal: AbortSignal
}

/** `undefined` when the editor refused and started nothing. Throws unless exactly this command was granted. */
export function openTerminal(start: TerminalStart, place: TerminalPlace): Promise<EditorTerminal | undefined> {
  const { grant, command, cwd } = start
  requireGrant(grant, BASH_TOOL)
  requireSameCommand(grant, command, cwd)
  return open(start, place)
}

async function open(start: TerminalStart, place: TerminalPlace): Promise<EditorTerminal | undefined> {
  const { command, cwd, shell, environment } = start
  const { terminals, signal, ...rest } = place
  const launcher = await createLauncher(start)
  const terminal = await terminals
    .open({ ...buildTerminalArgv(command, shell, launcher?.path), ...rest, cwd, environment }, signal)
    .catch(async (error: unknown) => {
      await launcher?.remove()
      throw error
    })
  if (terminal === undefined || launcher === undefined) {
    await launcher?.remove()
    return terminal
  }
  return {
    ...terminal,
    async release() {
      await terminal.release()
      await launcher.remove()
    },
  }
}

/** Its path is shown in the editor's terminal. */
async function createLauncher({ shell, sandbox, launchers }: TerminalStart) {
  if (sandbox === undefined) return undefined
  await mkdir(launchers, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(launchers, 'in-'))
  const path = join(folder, 'sandbox')
  await writeFile(path, writeLauncher(shell, sandbox), { mode: 0o600 })
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}
