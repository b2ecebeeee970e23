import { execFile } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { prepareReading } from '../bash/reading-parts.ts'
import { isWithin } from '../protected/path-order.ts'

/** What `git status` says about a repository. */
export interface GitState {
  readonly top: string
  /** `undefined`: no branch is checked out. */
  readonly branch?: string
  /** Tracked files that differ from the last commit. */
  readonly changed: number
  readonly untracked: number
  readonly ahead: number
  readonly behind: number
}

export type GitReading =
  | { readonly type: 'none' }
  /** The repository cannot be read without its own settings, or the read took too long. */
  | { readonly type: 'unreadable'; readonly top: string }
  | ({ readonly type: 'read' } & GitState)

export interface GitReadingOptions {
  /** An empty folder for a copy of the repository's state. It is removed afterwards. */
  readonly folder: string
  /** The top of the repository must be in one of these. Default: anywhere above. */
  readonly within?: readonly string[]
  /** Default: 2 seconds. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 2000
const MOST_BYTES = 4 * 1024 * 1024

/** Reads the state of the repository around a directory. No setting of the repository is used. Never rejects. */
export async function readGitState(directory: string, options: GitReadingOptions): Promise<GitReading> {
  const { folder, within, timeoutMs = TIMEOUT_MS } = options
  const top = findRepository(directory)
  if (top === undefined) return { type: 'none' }
  if (within !== undefined && !within.some((root) => isWithin(top, root))) return { type: 'none' }
  try {
    const reading = await prepareReading('git status', { cwd: top, roots: [top] }, { folder, isContained: true })
    try {
      const args = ['status', '--porcelain=v2', '--branch', '--untracked-files=normal']
      const printed = await runGit(args, { cwd: top, env: reading.change({ LC_ALL: 'C' }), timeoutMs })
      return { type: 'read', top, ...parseStatus(printed) }
    } finally {
      await reading.remove()
    }
  } catch {
    // No Git here, an unusual repository, or a slow one: the model can still ask Git itself.
    return { type: 'unreadable', top }
  }
}

/** The nearest folder above that holds a repository. */
export function findRepository(directory: string): string | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder
    if (dirname(folder) === folder) return undefined
  }
}

interface GitRun {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly timeoutMs: number
}

function runGit(args: readonly string[], { cwd, env, timeoutMs }: GitRun): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env, timeout: timeoutMs, maxBuffer: MOST_BYTES, killSignal: 'SIGKILL' } as const
    execFile('git', args, options, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}

/** The lines of `git status --porcelain=v2 --branch`: `# <header>`, `1`, `2` or `u` for a changed file, `?` for a new one. */
function parseStatus(printed: string): Omit<GitState, 'top'> {
  const lines = printed.split('\n')
  const branch = lines.find((line) => line.startsWith('# branch.head '))?.slice('# branch.head '.length)
  const [, ahead = '0', behind = '0'] = /^# branch\.ab \+(\d+) -(\d+)$/m.exec(printed) ?? []
  return {
    ...(branch !== undefined && branch !== '(detached)' && { branch }),
    changed: lines.filter((line) => /^[12u] /.test(line)).length,
    untracked: lines.filter((line) => line.startsWith('? ')).length,
    ahead: Number(ahead),
    behind: Number(behind),
  }
}
