import { ExitCode } from './exit-code.ts'

/** Whatever has not ended after this is left behind. */
const END_MS = 5_000

let endWork: (() => void) | undefined

/** A reader that has seen enough, such as `head`, closes the pipe: there is nobody left to tell, and we leave. */
export function leaveWhenClosed(...outputs: readonly NodeJS.WriteStream[]): void {
  let isLeaving = false
  const leave = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error
    // What is still being written on the way out fails like the first.
    if (isLeaving) return
    isLeaving = true
    if (endWork === undefined) process.exit(ExitCode.failed)
    setTimeout(() => process.exit(ExitCode.failed), END_MS).unref()
    endWork()
  }
  for (const output of outputs) output.on('error', leave)
}

/** Until it is disposed of, we do this first, and leave when the verb returns. */
export function beforeLeaving(end: () => void): Disposable {
  endWork = end
  return {
    [Symbol.dispose]() {
      endWork = undefined
    },
  }
}
