import { EngineError } from '../errors.ts'
import type { EntryId, SessionId } from '../ids.ts'
import type { EventStore, Receipt } from '../ports/event-store.ts'
import type { AdmittedTurn, StartTurn } from '../session/command.ts'

const PAGE = 500

/** The earlier result of a request's idempotency key, or the key to store its receipt under. */
export interface KeyUse {
  readonly before?: AdmittedTurn
  readonly key?: string
}

/** An input that was dropped before its turn started has no result, so a repeated request is admitted again. */
export async function findKeyUse(
  command: Pick<StartTurn, 'userId' | 'sessionId' | 'idempotency'>,
  store: EventStore,
): Promise<KeyUse> {
  const { userId, sessionId, idempotency } = command
  if (idempotency === undefined) return {}
  for (let { key } = idempotency; ;) {
    const receipt = await store.findReceipt(userId, sessionId, key)
    if (receipt === undefined) return { key }
    if (receipt.fingerprint !== idempotency.fingerprint) {
      throw new EngineError('receipt-mismatch', 'this idempotency key was used for another request')
    }
    const { turnId, seq } = receipt
    const fate = await fateOf(receipt, sessionId, store)
    if (fate !== 'dropped') return { before: { turnId, seq, queued: fate === 'queued', repeated: true } }
    key = `${idempotency.key}\n${turnId}`
  }
}

/** The receipt of a queued input points to its admission. Other receipts point to the start of the turn. */
async function fateOf(
  { turnId, seq }: Receipt,
  sessionId: SessionId,
  store: EventStore,
): Promise<'queued' | 'begun' | 'dropped'> {
  let waiting: EntryId | undefined
  for (let after = seq - 1; ;) {
    const page = await store.readEvents(sessionId, after, PAGE)
    for (const { event } of page) {
      if (event.type === 'input.admitted' && event.turnId === turnId) waiting = event.inputId
      if (waiting === undefined || (event.type === 'turn.started' && event.inputId === waiting)) return 'begun'
      if (event.type === 'input.dropped' && event.inputId === waiting) return 'dropped'
    }
    const last = page.at(-1)
    if (last === undefined) return 'queued'
    after = last.seq
  }
}
