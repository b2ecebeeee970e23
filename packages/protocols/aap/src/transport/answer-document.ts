import { writeDocument, type DocumentStream } from '@polylogue/kit'
import type { AapDeps } from '../deps.ts'
import { sendText, type Exchange } from './exchange.ts'

/** A client that reads nothing for this many heartbeats is gone. */
const PATIENCE_INTERVALS = 4

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
  const whole = await writeDocument(outgoing, { clock, status, patienceMs }, write)
  if (whole !== undefined) sendText(outgoing, status, whole)
}
