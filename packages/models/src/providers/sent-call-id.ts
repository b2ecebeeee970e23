import { createHash } from 'node:crypto'

const SAFE_ID = /^[A-Za-z0-9_-]{1,64}$/

/** A call id in the provider's format. A call and its result get the same id, in every request. */
export function toSentCallId(id: string, isMistral: boolean): string {
  if (isMistral) return /^[A-Za-z0-9]{9}$/.test(id) ? id : hashOf(id).slice(0, 9)
  return SAFE_ID.test(id) ? id : `call_${hashOf(id).slice(0, 32)}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
