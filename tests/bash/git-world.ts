// Repositories to plant attacks in, and plain Git to see whether an attack works.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { GitAttack } from './git-configurations.ts'
import { READING_COMMANDS } from './reading-commands.ts'

export interface GitWorld {
  /** A fresh repository with this planted. */
  create(attack: GitAttack): AttackedRepository
  remove(): void
}

export interface AttackedRepository {
  readonly path: string
  /** Whether the program has run since the last look. */
  hasRun(): boolean
  /** The first reading command for which plain Git runs it. */
  worksPlainly(): Promise<string | undefined>
  remove(): void
}

/** Below the workspace, so that a program in the sandbox can leave it. */
const TRACE = 'trace'

export function createGitWorld(): GitWorld {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-git-')))
  const template = join(folder, 'template')
  makeTemplate(template)
  let count = 0
  return {
    create(attack) {
      const path = join(folder, `r${++count}`)
      cpSync(template, path, { recursive: true, verbatimSymlinks: true })
      const trace = join(path, TRACE)
      const run = join(path, 'run.sh')
      write(run, `#!/bin/sh\necho >> '${trace}'\ncat "$1" 2>/dev/null || cat\nexit 0\n`)
      chmodSync(run, 0o755)
      attack.plant(path, run)
      write(join(path, 'a.txt'), 'changed\n')
      const hasRun = (): boolean => {
        const isThere = existsSync(trace)
        rmSync(trace, { force: true })
        return isThere
      }
      return {
        path,
        hasRun,
        async worksPlainly() {
          const pristine = `${path}-plain`
          cpSync(path, pristine, { recursive: true, verbatimSymlinks: true })
          try {
            for (const command of READING_COMMANDS) {
              await runPlainly(command, path)
              if (hasRun()) return command
            }
            return undefined
          } finally {
            rmSync(path, { recursive: true, force: true })
            cpSync(pristine, path, { recursive: true, verbatimSymlinks: true })
            rmSync(pristine, { recursive: true, force: true })
          }
        },
        remove: () => rmSync(path, { recursive: true, force: true }),
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const LONGEST_MS = 20_000

/**
 * As a shell of an agent without any care would. What Git says does not matter. Its helpers can outlive it (`git remote-ext`
 * waits for its program), so the whole process group ends with it.
 */
async function runPlainly(command: string, cwd: string): Promise<void> {
  const { PATH = '' } = process.env
  const env = { PATH, HOME: '/nonexistent' }
  const child = spawn('bash', ['-c', command], { cwd, env, stdio: 'ignore', detached: true })
  const { pid } = child
  if (pid === undefined) throw new Error('bash does not start')
  const timer = setTimeout(() => endGroup(pid), LONGEST_MS)
  await once(child, 'exit')
  clearTimeout(timer)
  endGroup(pid)
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing is left of it.
  }
}

const GIT_ENVIRONMENT = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd,
    env: { ...process.env, ...GIT_ENVIRONMENT },
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

/** A few commits, a merge with a conflict that was resolved, and one at the top that is signed. */
function makeTemplate(path: string): void {
  mkdirSync(path)
  git(path, 'init', '-q', '-b', 'main')
  write(join(path, 'a.txt'), 'one\n')
  write(join(path, 'b.txt'), 'lost\n')
  git(path, 'add', '.')
  git(path, 'commit', '-qm', 'first')
  git(path, 'checkout', '-qb', 'side')
  write(join(path, 'a.txt'), 'side\n')
  git(path, 'commit', '-qam', 'side')
  git(path, 'checkout', '-q', 'main')
  write(join(path, 'a.txt'), 'main\n')
  git(path, 'commit', '-qam', 'main')
  try {
    git(path, 'merge', '-q', 'side')
  } catch {
    write(join(path, 'a.txt'), 'both\n')
  }
  git(path, 'commit', '-qam', 'merge')
  write(join(path, 'a.txt'), 'signed\n')
  git(path, 'commit', '-qam', 'signed')
  sign(path)
}

/** Gives the last commit a signature that nobody made. */
function sign(path: string): void {
  const [head = '', ...message] = git(path, 'cat-file', 'commit', 'HEAD').split('\n\n')
  const signature = ['gpgsig -----BEGIN PGP SIGNATURE-----', ' ', ' AAAA', ' -----END PGP SIGNATURE-----'].join('\n')
  const text = `${head}\n${signature}\n\n${message.join('\n\n')}`
  const options = { cwd: path, input: text, encoding: 'utf8' as const }
  const commit = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], options).trim()
  git(path, 'reset', '-q', '--soft', commit)
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
