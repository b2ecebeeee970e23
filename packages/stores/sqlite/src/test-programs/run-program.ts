import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program of this folder in a process of its own. It says one line at a time and listens to its input. */
export interface RunningProgram {
  /** The next line it says; `undefined` when it has ended. */
  nextLine(): Promise<string | undefined>
  /** All that it still says until it ends. */
  remainingLines(): Promise<string[]>
  /** Ends its input, which every program takes as the sign to finish. */
  finish(): void
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>
}

/** `through` is a command that runs it, such as strace with its flags. */
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
