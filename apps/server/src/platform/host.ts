// What differs between operating systems. Every function takes the name of the system, so that tests can ask for any of them.
import { renameSync } from 'node:fs'
import { posix, win32 } from 'node:path'

type System = NodeJS.Platform

/** Windows has access lists instead: files of the user's own folder are the user's. */
export const hasFileModes = (system: System = process.platform): boolean => system !== 'win32'

/**
 * Windows sends SIGBREAK for Ctrl-Break and SIGHUP for a closed window, and has no SIGTERM: a program that is told to end there ends
 * at once, as in a crash.
 */
export const stopSignals = (system: System = process.platform): readonly NodeJS.Signals[] =>
  system === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']

/**
 * The folder for what belongs to the user and not to a project. `HOME` counts on systems that have it; on Windows a Unix shell sets
 * it to a path that Windows does not understand.
 */
export function userFolder(
  env: NodeJS.ProcessEnv,
  { home, system = process.platform }: { readonly home: string; readonly system?: System },
): string {
  return system === 'win32' ? (env['USERPROFILE'] ?? home) : (env['HOME'] ?? home)
}

export interface OwnerAddress {
  /** For `listen` and `connect`. */
  readonly path: string
  /** Whether it is a file, which a dead owner leaves behind and which has a mode. */
  readonly isFile: boolean
}

const SOCKET_NAME = 'polylogue.sock'

/**
 * Where the owner of a data directory listens: a socket in it, and on Windows a named pipe, whose name every spelling of the
 * directory leads to.
 */
export function ownerAddressOf(dataDir: string, system: System = process.platform): OwnerAddress {
  if (system !== 'win32') return { path: posix.join(dataDir, SOCKET_NAME), isFile: true }
  const spelling = win32.resolve(dataDir).toLowerCase()
  // Loaded where it is needed: an editor waits for every module at the start.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const name = createHash('sha256').update(spelling).digest('hex').slice(0, 32)
  return { path: String.raw`\\.\pipe\polylogue-${name}`, isFile: false }
}

/** On Windows a scanner or a reader that has the file open makes a rename fail for a moment. */
const BUSY = new Set(['EPERM', 'EACCES', 'EBUSY'])
const ATTEMPTS = 20
const PAUSE_MS = 50

export interface RenameParts {
  readonly system: System
  readonly rename: (from: string, to: string) => void
  readonly pause: (ms: number) => void
}

/** Renames over an existing file. Waits up to a second where the system needs that. */
export function replaceBy(from: string, to: string, special: Partial<RenameParts> = {}): void {
  const { system, rename, pause } = { system: process.platform, rename: renameSync, pause: block, ...special }
  for (let left = ATTEMPTS; ; left--) {
    try {
      return rename(from, to)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (system !== 'win32' || !BUSY.has(code) || left === 1) throw error
      pause(PAUSE_MS)
    }
  }
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
