import { ExitCode } from './exit-code.ts'

/** Ctrl-C, once: the turn is asked to stop and shown to its end. Twice: we leave. */
export interface Interruption extends Disposable {
  readonly isRequested: boolean
  /** As a signal does it. */
  request(): void
  /** From now on the first signal does this; without it there is nothing to stop, and we leave at once. */
  stopBy(stop: () => void): void
}

export function listenForInterruption(): Interruption {
  let isRequested = false
  let stop: (() => void) | undefined
  const request = () => {
    if (isRequested || !stop) process.exit(ExitCode.cancelled)
    isRequested = true
    stop()
  }
  process.on('SIGINT', request)
  process.on('SIGTERM', request)
  return {
    get isRequested() {
      return isRequested
    },
    request,
    stopBy(action) {
      stop = action
    },
    [Symbol.dispose]() {
      process.off('SIGINT', request)
      process.off('SIGTERM', request)
    },
  }
}
