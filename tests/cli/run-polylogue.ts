import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PROGRAM = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))
const runFile = promisify(execFile)

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** A polylogue process whose output is kept. */
export interface Polylogue {
  readonly process: ChildProcessWithoutNullStreams
  /** Resolves as soon as stdout or stderr holds this text; rejects when the process ends before. */
  says(text: string): Promise<void>
  /** What it has written so far. */
  output(): { readonly stdout: string; readonly stderr: string }
  /** Resolves when it has ended. */
  readonly finished: Promise<Finished>
}

export function startPolylogue(args: readonly string[], { cwd, input, environment }: RunOptions): Polylogue {
  return watch(
    spawn(process.execPath, [PROGRAM, ...args], { cwd, env: { ...plainEnvironment(), ...environment } }),
    input,
  )
}

export function runPolylogue(args: readonly string[], options: RunOptions): Promise<Finished> {
  return startPolylogue(args, options).finished
}

/** The same behind a terminal of its own: `script` gives it one. */
export function startAtTerminal(args: readonly string[], { cwd, environment }: RunOptions): Polylogue {
  const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return watch(
    spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd,
      env: { ...plainEnvironment(), TERM: 'xterm', ...environment },
    }),
  )
}

/** Into a real pipe whose reader leaves after four bytes. Resolves when both have ended. */
export function pipeToHead(args: readonly string[], redirection = ''): Promise<{ readonly stdout: string }> {
  const line = `"$0" "$@" ${redirection} | head -c 4`
  return runFile('sh', ['-c', line, process.execPath, PROGRAM, ...args], { env: plainEnvironment() })
}

/** Nothing of the machine's own set-up. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { POLYLOGUE_DATA: _data, NO_COLOR: _color, ...rest } = process.env
  return rest
}

function watch(child: ChildProcessWithoutNullStreams, input?: string): Polylogue {
  let stdout = ''
  let stderr = ''
  const seen = new EventTarget()
  const keep = (take: (text: string) => void) => (text: string) => {
    take(text)
    seen.dispatchEvent(new Event('output'))
  }
  child.stdout.setEncoding('utf8').on(
    'data',
    keep((text) => (stdout += text)),
  )
  child.stderr.setEncoding('utf8').on(
    'data',
    keep((text) => (stderr += text)),
  )
  if (input !== undefined) child.stdin.end(input)
  const finished = once(child, 'close').then(([code]): Finished => {
    seen.dispatchEvent(new Event('output'))
    return { code: typeof code === 'number' ? code : null, stdout, stderr }
  })
  return {
    process: child,
    output: () => ({ stdout, stderr }),
    finished,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const isSaid = stdout.includes(text) || stderr.includes(text)
          if (!isSaid && child.exitCode === null) return
          seen.removeEventListener('output', look)
          if (isSaid) resolve()
          else reject(new Error(`it ended without saying ${text}:\n${stdout}\n${stderr}`))
        }
        seen.addEventListener('output', look)
        look()
      }),
  }
}
