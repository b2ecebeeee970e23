import { write, writeSync } from 'node:fs'

export interface LineWriter {
  /** Drops the line if too much is unwritten or the reader is gone. */
  write(line: string): void
  /** Resolves when everything is written, or cannot be. */
  drained(): Promise<void>
  /** Writes what is left without returning to the event loop. For the end of the process. */
  flushSync(): void
  /** Gives up what is left. `isIdle`: no write is in flight, so the descriptor may be closed. */
  stop(): { readonly isIdle: boolean }
}

/** How long to wait for a reader whose pipe is full, and how often before the process ends. */
const BUSY_MS = 50
const MOST_BUSY = 20

/** Writes to a descriptor, one write at a time. `most` limits the characters that wait. */
export function createLineWriter(fd: number, most: number): LineWriter {
  let waiting: string[] = []
  let size = 0
  let rest: Uint8Array | undefined
  let isInFlight = false
  let isStopped = false
  let retry: NodeJS.Timeout | undefined
  let listeners: (() => void)[] = []

  const settle = (): void => {
    for (const listener of listeners) listener()
    listeners = []
  }
  const stop = (): { readonly isIdle: boolean } => {
    isStopped = true
    clearTimeout(retry)
    waiting = []
    rest = undefined
    settle()
    return { isIdle: !isInFlight }
  }
  const take = (): Uint8Array | undefined => {
    if (waiting.length === 0) return undefined
    const text = waiting.join('')
    waiting = []
    size = 0
    return Buffer.from(text)
  }
  const next = (): void => {
    rest ??= take()
    if (rest === undefined) return settle()
    const bytes = rest
    isInFlight = true
    write(fd, bytes, (error, written) => {
      isInFlight = false
      if (isStopped) return
      const code = error?.code
      if (code === 'EPIPE') {
        stop()
        return
      }
      if (isBusy(code)) {
        retry = setTimeout(next, BUSY_MS)
        return
      }
      // Another error, such as a full disk, costs these lines. Later ones may succeed.
      rest = error || written === bytes.length ? undefined : bytes.subarray(written)
      next()
    })
  }
  return {
    write(line) {
      if (isStopped || size + (rest?.length ?? 0) + line.length > most) return
      waiting.push(line)
      size += line.length
      if (rest === undefined && !isInFlight) next()
    },
    async drained() {
      if (isStopped || (rest === undefined && waiting.length === 0)) return
      await new Promise<void>((resolve) => void listeners.push(resolve))
    },
    flushSync() {
      if (isStopped) return
      // Node finishes a write that is in flight before the process ends.
      const left = isInFlight ? [take()] : [rest, take()]
      stop()
      for (const bytes of left) if (bytes !== undefined) writeAll(fd, bytes)
    },
    stop,
  }
}

const isBusy = (code: unknown): boolean => code === 'EAGAIN' || code === 'EBUSY'

function writeAll(fd: number, bytes: Uint8Array): void {
  let done = 0
  let busy = 0
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      // The reader is gone or stuck, or the disk is full. Nobody can be told.
      if (!isBusy(error.code) || ++busy > MOST_BUSY) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)
    }
  }
}
