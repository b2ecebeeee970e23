import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { FileProblem } from './file-problem.ts'

const answer = z.union([z.object({ pages: z.array(z.string()), total: z.int() }), z.object({ problem: z.string() })])

const MOST_MEMORY_MB = 384
const DEADLINE_MS = 20_000
const LONGEST_PROBLEM = 200

export interface PdfReading {
  readonly signal: AbortSignal
  /** Default: 20 seconds. */
  readonly deadlineMs?: number
}

/** The text of a PDF, page by page. Rejects with a `FileProblem` if it cannot be read in time. */
export async function readPdfText(bytes: Buffer, { signal, deadlineMs = DEADLINE_MS }: PdfReading): Promise<string> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const worker = new Worker(new URL('./pdf-text-worker.ts', import.meta.url), {
    workerData: new Uint8Array(bytes),
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  })
  const timer = setTimeout(() => reject(failed(`took more than ${deadlineMs / 1000} seconds`)), deadlineMs)
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  worker.on('message', resolve)
  worker.on('error', (error) => reject(failed(error instanceof Error ? error.message : String(error))))
  worker.on('exit', () => reject(failed('the reader stopped')))
  try {
    const told = answer.parse(await promise)
    if ('problem' in told) throw failed(told.problem)
    return formatPages(told.pages, told.total)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

const failed = (why: string): FileProblem =>
  new FileProblem('failed', `path: the PDF could not be read: ${why.replaceAll(/\s+/g, ' ').slice(0, LONGEST_PROBLEM)}`)

function formatPages(pages: readonly string[], total: number): string {
  if (pages.every((page) => page.trim() === '')) return `[${total} pages without text: perhaps scanned images]`
  const shown = pages.map((page, index) => `--- page ${index + 1} of ${total} ---\n${page.trim()}`)
  return [...shown, ...(pages.length < total ? [`[${total - pages.length} more pages are not shown]`] : [])].join('\n')
}
