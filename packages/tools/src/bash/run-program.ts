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
    const child = spawn(file, args, { stdio })
    // The option `timeout` of `spawn` keeps this process alive for its whole time when there is no such program.
    const timer = setTimeout(() => child.kill(), PROBE_MS)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve()
      else reject(new Error(`${file} ended with ${code}`))
    })
  })
}
