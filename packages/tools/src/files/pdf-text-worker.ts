// Runs in a worker thread: a hostile PDF can take unlimited time and memory, and a thread can be terminated.
import { extractText, getDocumentProxy } from 'unpdf'
import { parentPort, workerData } from 'node:worker_threads'

/** Later pages are not read. */
const MOST_PAGES = 200

async function readPages(bytes: Uint8Array): Promise<{ readonly pages: readonly string[]; readonly total: number }> {
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
  const { totalPages, text } = await extractText(document, { mergePages: false })
  return { pages: text.slice(0, MOST_PAGES), total: totalPages }
}

const given: unknown = workerData
if (!(given instanceof Uint8Array)) throw new TypeError('a worker that reads a PDF is started with its bytes')
readPages(given).then(
  (answer) => parentPort?.postMessage(answer),
  (error: unknown) => parentPort?.postMessage({ problem: error instanceof Error ? error.message : String(error) }),
)
