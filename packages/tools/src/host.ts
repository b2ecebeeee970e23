// What differs between operating systems, as far as tools are concerned. Every function takes the name of the system, so that tests
// can ask for any of them.
import { spawnSync } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

type System = NodeJS.Platform

/** Commands of a model need a Unix shell and named pipes in the file system. */
export const hasUnixShell = (system: System = process.platform): boolean => system !== 'win32'

/** Only Linux lists processes as files. */
export const hasProcessFiles = (system: System = process.platform): boolean => system === 'linux'

/** Windows writes the entry of a file together with the file, and refuses to sync a folder. */
export const canSyncFolders = (system: System = process.platform): boolean => system !== 'win32'

export interface Program {
  readonly file: string
  readonly args: readonly string[]
  /** Windows only: the arguments are quoted already. */
  readonly isVerbatim: boolean
}

/**
 * A program with its arguments as `spawn` takes them. Windows starts only `.exe` and `.com` files; `npx` and its like are scripts of its
 * command interpreter.
 */
export function toProgram(
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  system: System = process.platform,
): Program {
  if (system !== 'win32' || /\.(?:exe|com)$/i.test(command)) return { file: command, args, isVerbatim: false }
  const line = [escapeForCmd(command), ...args.map((arg) => escapeForCmd(quote(arg)))].join(' ')
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true }
}

/** As programs of Windows split their command line: a backslash counts only in front of a quote. */
const quote = (arg: string): string =>
  `"${arg.replaceAll(/(?<!\\)(\\*)"/g, String.raw`$1$1\"`).replace(/(?<!\\)\\+$/, '$&$&')}"`

const escapeForCmd = (text: string): string => text.replaceAll(/[()\][%!^"`<>&|;, *?]/g, '^$&')

export interface KillParts {
  readonly system: System
  readonly send: (pid: number, signal: NodeJS.Signals) => void
  readonly run: (file: string, args: readonly string[]) => void
}

const runQuietly: KillParts['run'] = (file, args) =>
  void spawnSync(file, args, { stdio: 'ignore', windowsHide: true, timeout: 5000 })

/** Kills a process that leads a group, and what it started. Synchronous, so that it can run when this process exits. */
export function killWithChildren(leader: number, special: Partial<KillParts> = {}): void {
  const parts = { system: process.platform, send: process.kill, run: runQuietly, ...special }
  if (parts.system === 'win32') return parts.run('taskkill.exe', ['/pid', String(leader), '/t', '/f'])
  try {
    parts.send(-leader, 'SIGKILL')
  } catch (error) {
    // It has ended (ESRCH), or we may not signal it (EPERM).
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** On Windows a scanner or a reader that has the file open makes a rename fail for a moment. */
const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY'])
const ATTEMPTS = 20
const PAUSE_MS = 50

export interface RenameParts {
  readonly system: System
  readonly rename: (from: string, to: string) => Promise<void>
  readonly pause: (ms: number) => Promise<unknown>
}

/** Renames, over an existing file if there is one. Waits up to a second where the system needs that. */
export async function renamePatiently(from: string, to: string, special: Partial<RenameParts> = {}): Promise<void> {
  const parts = { system: process.platform, rename, pause: (ms: number) => delay(ms), ...special }
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await parts.rename(from, to)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (parts.system !== 'win32' || !BUSY.has(code) || left === 1) throw error
      await parts.pause(PAUSE_MS)
    }
  }
}
