// Starts fixed programs of the machine, never a command of a model.
import { type StdioOptions, spawn } from 'node:child_process'

const PROBE_MS = 5000

/** Whether a program exits with status 0. It gets the descriptors starting at 3. */
export async function probeProgram(
  file: string,
  args: readonly string[],
  descriptors: readonly number[] = [],
): Promise<boolean> {
  try {
    await runProgram(file, args, descriptors)
    return true
  } catch {
    return false
  }
}

export function runProgram(file: string, args: readonly string[], descriptors: readonly number[] = []): Promise<void> {
  return new Promise((resolve, reject) => {
    const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', ...descriptors]
    // The timer of spawn's own `timeout` stays after a program that does not exist, and keeps the process alive.
    const child = spawn(file, args, { stdio, signal: AbortSignal.timeout(PROBE_MS) })
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`))))
  })
}
