// Searches text with a regular expression that a model wrote. JavaScript's engine goes back and forth, so some
// patterns never end: it runs in a worker thread that is ended when one file takes too long. An engine in linear time
// (RE2 in JavaScript) was measured and not taken: it needed 1.4 s for 4 KiB of text with a hostile pattern, so it would
// have needed the thread too, and it does not know lookaheads, which models write.
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { FileProblem } from './file-problem.ts'
import type { FoundLine, LinePattern } from './find-lines.ts'

export interface LineSearcher {
  /** Answers in the order of asking. The bytes are given away. */
  search(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<readonly FoundLine[]>
  stop(): Promise<void>
}

const answer = z.array(z.object({ line: z.int(), text: z.string(), isMatch: z.boolean() }))
const MOST_MEMORY_MB = 256
/** For the thread to be there at all, on a machine that has much to do. */
const START_MS = 30_000

interface Waiting {
  readonly resolve: (lines: readonly FoundLine[]) => void
  readonly reject: (error: unknown) => void
}

export function startLineSearcher(
  pattern: LinePattern,
  { patternMs, signal }: { readonly patternMs: number; readonly signal: AbortSignal },
): LineSearcher {
  const worker = new Worker(new URL('./line-search-worker.ts', import.meta.url), {
    workerData: pattern,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  const waiting: Waiting[] = []
  let broken: { readonly reason: unknown } | undefined
  let isReady = false
  let timer: NodeJS.Timeout | undefined

  const fail = (reason: unknown): void => {
    broken ??= { reason }
    clearTimeout(timer)
    for (const { reject } of waiting.splice(0)) reject(broken.reason)
  }
  const watch = (): void => {
    clearTimeout(timer)
    if (waiting.length > 0) timer = setTimeout(giveUp, isReady ? patternMs : START_MS)
  }
  const giveUp = (): void => {
    const why = `pattern: took more than ${patternMs} ms for one file: use a simpler one`
    fail(isReady ? new FileProblem('failed', why) : new Error('the thread that searches did not start'))
    void worker.terminate()
  }
  const abort = (): void => {
    fail(signal.reason)
    void worker.terminate()
  }
  worker.on('message', (message: unknown) => {
    const lines = answer.safeParse(message)
    if (message === 'ready') isReady = true
    else if (lines.success) waiting.shift()?.resolve(lines.data)
    else fail(new Error('the thread that searches gave no lines', { cause: lines.error }))
    watch()
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the search was stopped')))
  signal.addEventListener('abort', abort, { once: true })

  return {
    async search(bytes, most) {
      if (broken) throw broken.reason
      const { promise, resolve, reject } = Promise.withResolvers<readonly FoundLine[]>()
      waiting.push({ resolve, reject })
      worker.postMessage({ bytes, most }, [bytes.buffer])
      if (waiting.length === 1) watch()
      return promise
    },
    async stop() {
      signal.removeEventListener('abort', abort)
      await worker.terminate()
    },
  }
}
