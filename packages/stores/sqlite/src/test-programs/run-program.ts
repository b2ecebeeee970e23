import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program of this folder in a separate process. It prints one line at a time and reads its input. */
export interface RunningProgram {
  /** The next line of output. `undefined` when the program has ended. */
  nextLine(): Promise<string | undefined>
  /** The remaining lines until it ends. */
  remainingLines(): Promise<string[]>
  /** Closes its input, which tells every program to finish. */
  finish(): void
  /** Sends kill -9 and waits until it has ended. */
  kill(): Promise<void>
}

/** `through` is a command that wraps it, such as strace with its flags. */
export function runProgram(name: string, args: readonly string[], through: readonly string[] = []): RunningProgram {
  const [command = '', ...rest] = [
    ...through,
    process.execPath,
    fileURLToPath(new URL(`${name}.ts`, import.meta.url)),
    ...args,
  ]
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string | undefined> => {
    const { done, value } = await lines.next()
    return done === true ? undefined : value
  }
  const remainingLines = async (): Promise<string[]> => {
    const all: string[] = []
    for (let line = await nextLine(); line !== undefined; line = await nextLine()) all.push(line)
    await exit
    return all
  }
  return {
    nextLine,
    remainingLines,
    finish: () => void child.stdin.end(),
    async kill() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
