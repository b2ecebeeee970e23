import { requestJson, type OwnerLink } from './owner-link.ts'
import { sessionRecord, type SessionRecord } from './wire.ts'

export function readSessionRecord(link: OwnerLink, sessionId: string): Promise<SessionRecord> {
  const path = `/api/polylogue/sessions/${encodeURIComponent(sessionId)}`
  return requestJson(link, sessionRecord, { method: 'GET', path })
}
