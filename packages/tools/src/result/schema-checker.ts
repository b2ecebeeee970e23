import type { JsonObject } from '@polylogue/engine'
import { createHash } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import { z } from 'zod'

/** One request to the worker: is this a schema, and does the value match it? */
export interface SchemaRequest {
  readonly what: string
  readonly schema: JsonObject
  readonly value?: JsonObject
}

const schemaVerdict = z.object({ problem: z.string().exactOptional() })
/** No problem means yes. */
export type SchemaVerdict = z.infer<typeof schemaVerdict>

/** Real schemas take about a millisecond. A busy machine may take a hundred times longer. */
const LONGEST_CHECK_MS = 500
const START_MS = 30_000
const MOST_MEMORY_MB = 256
/** The maximum number of waiting checks. Further ones are refused: a client sends slow schemas too fast. */
const MOST_WAITING = 200
/** The digests of schemas that were too slow. They are not tried again. */
const MOST_REMEMBERED = 1000

const TOO_SLOW = `takes more than ${LONGEST_CHECK_MS} ms to check: use a simpler schema`
const TOO_MANY = 'cannot be checked now: too many other checks are waiting'

interface Waiting {
  readonly request: SchemaRequest
  readonly digest: string
  resolve(verdict: SchemaVerdict): void
}

let worker: Worker | undefined
let isReady = false
let timer: NodeJS.Timeout | undefined
const waiting: Waiting[] = []
const tooSlow = new Set<string>()

/**
 * Compiles the schema and checks the value, if there is one, in a worker that is terminated when it takes too long.
 * Never rejects. The worker starts with the first request and does not keep the process alive.
 */
export function checkInWorker(request: SchemaRequest): Promise<SchemaVerdict> {
  const digest = createHash('sha256').update(JSON.stringify(request.schema)).digest('base64')
  if (tooSlow.has(digest)) return Promise.resolve({ problem: `${request.what}: ${TOO_SLOW}` })
  if (waiting.length >= MOST_WAITING) return Promise.resolve({ problem: `${request.what}: ${TOO_MANY}` })
  return new Promise((resolve) => {
    waiting.push({ request, digest, resolve })
    if (waiting.length === 1) askNext()
  })
}

/** One request at a time, to know which one takes too long. */
function askNext(): void {
  const [next] = waiting
  if (next === undefined) return
  worker ??= startWorker()
  clearTimeout(timer)
  timer = setTimeout(() => endSlow(), isReady ? LONGEST_CHECK_MS : START_MS)
  if (isReady) worker.postMessage(next.request)
}

function startWorker(): Worker {
  const threads = process.getBuiltinModule('node:worker_threads')
  const started = new threads.Worker(new URL('./schema-check-worker.ts', import.meta.url), {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  started.unref()
  started.on('message', (message: unknown) => {
    if (worker !== started) return
    if (message === 'ready') {
      isReady = true
      return askNext()
    }
    settle(schemaVerdict.parse(message))
  })
  // Out of memory counts as too slow, because the schema is the cause.
  started.on('error', () => {
    if (worker === started) endSlow()
  })
  return started
}

function endSlow(): void {
  const ended = worker
  worker = undefined
  isReady = false
  void ended?.terminate()
  const [slow] = waiting
  if (slow === undefined) return
  remember(slow.digest)
  settle({ problem: `${slow.request.what}: ${TOO_SLOW}` })
}

function settle(verdict: SchemaVerdict): void {
  clearTimeout(timer)
  waiting.shift()?.resolve(verdict)
  askNext()
}

function remember(digest: string): void {
  const [oldest] = tooSlow
  if (tooSlow.size >= MOST_REMEMBERED && oldest !== undefined) tooSlow.delete(oldest)
  tooSlow.add(digest)
}
