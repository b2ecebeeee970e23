import { ClientGone, DocumentStream } from '@polylogue/kit'
import type { AapDeps } from '../deps.ts'
import { sendText, type Exchange } from './exchange.ts'

/** A client that reads nothing for this many heartbeats is gone. */
const PATIENCE_INTERVALS = 4
// Clients give up on an answer whose first byte does not come, fetch in Node after five minutes.
const FIRST_BYTE_MS = 10_000

export interface DocumentOptions extends Pick<AapDeps, 'clock' | 'heartbeatMs'> {
  /** Default: 200. */
  readonly status?: 200 | 201
}

/** Writes a JSON document that may take long or be large. Until its first byte is out, a failure is an ordinary answer. */
export async function answerDocument(
  { outgoing }: Exchange,
  { clock, heartbeatMs, status = 200 }: DocumentOptions,
  write: (document: DocumentStream) => Promise<void>,
): Promise<void> {
  const patienceMs = PATIENCE_INTERVALS * heartbeatMs
  const document = new DocumentStream(outgoing, { clock, status, patienceMs, firstByteMs: FIRST_BYTE_MS })
  try {
    await write(document)
    const whole = await document.end()
    if (whole !== undefined) sendText(outgoing, status, whole)
  } catch (error) {
    const { hasBegun } = document
    document.abandon()
    if (!hasBegun && !(error instanceof ClientGone)) throw error
  }
}

/** `[...]`, each item as it comes. */
export async function writeList(document: DocumentStream, items: AsyncIterable<object>): Promise<void> {
  let separator = '['
  for await (const item of items) {
    await document.write(`${separator}${JSON.stringify(item)}`)
    separator = ','
  }
  await document.write(separator === '[' ? '[]' : ']')
}
