import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program of `programs/` in a separate process. It prints one line at a time. */
export interface RunningProgram {
  readonly pid: number
  /** The next line of output. `undefined` when the program has ended. */
  nextLine(): Promise<string | undefined>
  /** The remaining lines until it ends. */
  remainingLines(): Promise<readonly string[]>
  /** Its stderr so far. */
  readonly complaints: string
  /** Closes its input, which tells a waiting program to finish. Resolves when it has ended. */
  finish(): Promise<number | null>
  /** Sends kill -9 and waits until it has ended. */
  kill(): Promise<void>
}

export interface RunOptions {
  /** A command that wraps it, such as strace with its flags. */
  readonly through?: readonly string[]
}

const KEPT_COMPLAINTS = 20_000

export function runProgram(name: string, args: readonly string[], { through = [] }: RunOptions = {}): RunningProgram {
  const program = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))
  const [command = '', ...rest] = [...through, process.execPath, program, ...args]
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'pipe'] })
  const exit = once(child, 'exit')
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-KEPT_COMPLAINTS)
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string | undefined> => {
    const { done, value } = await lines.next()
    return done === true ? undefined : value
  }
  return {
    pid: child.pid ?? 0,
    nextLine,
    async remainingLines() {
      const all: string[] = []
      for (let line = await nextLine(); line !== undefined; line = await nextLine()) all.push(line)
      await exit
      return all
    },
    get complaints() {
      return complaints
    },
    async finish() {
      child.stdin.end()
      await exit
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
