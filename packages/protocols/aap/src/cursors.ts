import { asSessionId, type Cursor, type SessionId } from '@polylogue/engine'
import { WireError } from './errors.ts'

/**
 * The `id:` of a streamed event, which `after` accepts. `<seq>`: the client has seen all of that recorded event.
 * `<seq>.<block>.<offset>` depends on the event. `step.started`: the text up to `offset` UTF-16 units of `block`. Another
 * event that is shown as several: those up to the one of `block`. A step's answer with `block` after its last one: so many
 * (`offset`) of the calls and results that were shown after it.
 */
const EVENT_CURSOR = /^(\d{1,15})(?:\.(\d{1,9})\.(\d{1,12}))?$/

export function parseEventCursor(text: string): Cursor {
  const [, seq, block, offset] = EVENT_CURSOR.exec(text) ?? []
  if (seq === undefined) throw new WireError(400, 'after: not an event id of this server')
  if (block === undefined || offset === undefined) return { seq: Number(seq) }
  return { seq: Number(seq), block: Number(block), offset: Number(offset) }
}

export function formatEventCursor({ seq, block, offset = 0 }: Cursor): string {
  return block === undefined ? `${seq}` : `${seq}.${block}.${offset}`
}

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isSessionId = (text: string): boolean => SESSION_ID.test(text)

export function encodeListCursor(sessionId: SessionId): string {
  return Buffer.from(sessionId, 'latin1').toString('base64url')
}

export function parseListCursor(text: string): SessionId {
  const sessionId = Buffer.from(text, 'base64url').toString('latin1')
  if (!isSessionId(sessionId) || encodeListCursor(asSessionId(sessionId)) !== text) {
    throw new WireError(400, 'after: not a cursor of this server')
  }
  return asSessionId(sessionId)
}
