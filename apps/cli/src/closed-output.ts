import { ExitCode } from './exit-code.ts'

/** The process exits after this time, even if something runs. */
const END_MS = 5_000

let endWork: (() => void) | undefined

/** Exits when the reader of an output closes the pipe, as `head` does. */
export function leaveWhenClosed(...outputs: readonly NodeJS.WriteStream[]): void {
  let isLeaving = false
  const leave = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error
    // Later writes fail in the same way.
    if (isLeaving) return
    isLeaving = true
    if (endWork === undefined) process.exit(ExitCode.failed)
    setTimeout(() => process.exit(ExitCode.failed), END_MS).unref()
    endWork()
  }
  for (const output of outputs) output.on('error', leave)
}

/** Runs `end` first, and lets the verb return before the exit. Ends when disposed. */
export function beforeLeaving(end: () => void): Disposable {
  endWork = end
  return {
    [Symbol.dispose]() {
      endWork = undefined
    },
  }
}
