// Runs in a worker thread, because a regular expression may never end and can only be stopped from outside. It imports
// little, because each search waits for it to start.
import { parentPort, workerData } from 'node:worker_threads'
import { findLines, type LinePattern } from './find-lines.ts'

interface SearchRequest {
  readonly bytes: Uint8Array
  readonly most: number
}

const pattern: unknown = workerData
if (!isLinePattern(pattern)) throw new TypeError('a worker that searches lines is started with a pattern')

parentPort?.on('message', ({ bytes, most }: SearchRequest) => {
  parentPort?.postMessage(findLines(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), most, pattern))
})
parentPort?.postMessage('ready')

function isLinePattern(value: unknown): value is LinePattern {
  if (typeof value !== 'object' || value === null) return false
  const { pattern: source, ignoreCase, context }: Partial<Record<keyof LinePattern, unknown>> = value
  return typeof source === 'string' && typeof ignoreCase === 'boolean' && typeof context === 'number'
}
