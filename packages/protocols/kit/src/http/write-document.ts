import type { ServerResponse } from 'node:http'
import type { Clock } from '@polylogue/engine'
import { ClientGone, DocumentStream } from './document-stream.ts'

// Clients give up on an answer whose first byte does not come, fetch in Node after five minutes.
const FIRST_BYTE_MS = 10_000

export interface DocumentOptions {
  readonly clock: Clock
  /** How long the client may take nothing before its connection is cut. */
  readonly patienceMs: number
  readonly status: 200 | 201
}

/**
 * Writes a JSON document that may take long or be large. Returns a small one as a whole, for the caller to send. Until the
 * first byte is out, a failure rejects.
 */
export async function writeDocument(
  outgoing: ServerResponse,
  options: DocumentOptions,
  write: (document: DocumentStream) => Promise<void>,
): Promise<string | undefined> {
  const document = new DocumentStream(outgoing, { ...options, firstByteMs: FIRST_BYTE_MS })
  try {
    await write(document)
    return await document.end()
  } catch (error) {
    const { hasBegun } = document
    document.abandon()
    if (!hasBegun && !(error instanceof ClientGone)) throw error
    return undefined
  }
}

/** `[...]`, each item as it comes. */
export async function writeList(
  document: DocumentStream,
  items: Iterable<object> | AsyncIterable<object>,
): Promise<void> {
  let separator = '['
  for await (const item of items) {
    const writing = document.write(`${separator}${JSON.stringify(item)}`)
    if (writing !== undefined) await writing
    separator = ','
  }
  await document.write(separator === '[' ? '[]' : ']')
}
