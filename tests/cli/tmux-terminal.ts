import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { requireTool } from '../house/require-tool.ts'

const PROGRAM = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))
/** A process that needs half a second of CPU time has taken 20 s on a machine with other work. */
const WAIT_MS = 60_000
const run = promisify(execFile)

/** A polylogue process in a terminal that can be looked at. */
export interface TmuxTerminal extends AsyncDisposable {
  /** Presses keys by tmux's names, such as `C-c`. */
  press(...keys: readonly string[]): Promise<void>
  /** Pastes a text, with marks if the program asked for them. */
  paste(text: string): Promise<void>
  /** Pastes a text and presses Enter. */
  enter(text: string): Promise<void>
  /** All lines so far, without the empty ones at the end. Lines that the terminal wrapped are whole again. */
  text(): Promise<string>
  /** The same as rows of the terminal. */
  rows(): Promise<readonly string[]>
  shows(text: string | RegExp): Promise<void>
  /** Waits for the end of the process. */
  exitCode(): Promise<number>
}

export interface TmuxOptions {
  /** Also the place of tmux's socket. */
  readonly cwd: string
  readonly columns: number
  readonly environment?: Readonly<Record<string, string>>
}

export async function openTmux(
  args: readonly string[],
  { cwd, columns, environment: given = {} }: TmuxOptions,
): Promise<TmuxTerminal> {
  const config = join(cwd, 'tmux.conf')
  await writeFile(config, 'set -g remain-on-exit on\nset -g history-limit 5000\n')
  const { TMUX: _outer, NO_COLOR: _color, POLYLOGUE_DATA: _data, ...environment } = process.env
  const tmux = async (...words: readonly string[]): Promise<string> => {
    const all = ['-S', join(cwd, 'tmux.socket'), '-f', config, '-u', ...words]
    return (await run(requireTool('tmux', 'tmux'), all, { cwd, env: { ...environment, ...given } })).stdout
  }
  const size = ['-x', String(columns), '-y', '30']
  await tmux('new-session', '-d', ...size, '-c', cwd, process.execPath, PROGRAM, ...args)
  const text = async (): Promise<string> => (await tmux('capture-pane', '-p', '-J', '-S', '-')).trimEnd()
  const paste = async (pasted: string): Promise<void> => {
    await tmux('set-buffer', pasted)
    await tmux('paste-buffer', '-p', '-r')
  }
  return {
    text,
    async press(...keys) {
      await tmux('send-keys', ...keys)
    },
    paste,
    async enter(typed) {
      await paste(typed)
      await tmux('send-keys', 'Enter')
    },
    rows: async () => (await tmux('capture-pane', '-p', '-S', '-')).split('\n'),
    async shows(wanted) {
      await expect.poll(text, { timeout: WAIT_MS }).toMatch(wanted)
    },
    async exitCode() {
      const state = (): Promise<string> => tmux('display-message', '-p', '#{pane_dead} #{pane_dead_status}')
      await expect.poll(state, { timeout: WAIT_MS }).toMatch(/^1 /)
      return Number((await state()).split(' ')[1])
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server')
    },
  }
}
