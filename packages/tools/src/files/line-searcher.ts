// Searches text with a regular expression that a model wrote. JavaScript's engine backtracks, so some patterns
// never end. It runs in a worker thread that is terminated when one file takes too long. A linear-time engine (RE2 in
// JavaScript) took 1.4 s for 4 KiB of text with a hostile pattern, so it would need the thread too, and it does not
// support lookaheads, which models write.
import { z } from 'zod'
import { FileProblem } from './file-problem.ts'
import type { FoundLine, LinePattern } from './find-lines.ts'

export interface LineSearcher {
  /** Results come in the order of the calls. The bytes are transferred to the worker. */
  search(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<readonly FoundLine[]>
  stop(): Promise<void>
}

const answer = z.array(z.object({ line: z.int(), text: z.string(), isMatch: z.boolean() }))
const MOST_MEMORY_MB = 256
/** How long the thread may take to start on a busy machine. */
const START_MS = 30_000

interface Waiting {
  readonly resolve: (lines: readonly FoundLine[]) => void
  readonly reject: (error: unknown) => void
}

export function startLineSearcher(
  pattern: LinePattern,
  { patternMs, signal }: { readonly patternMs: number; readonly signal: AbortSignal },
): LineSearcher {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
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
