import type { AuthOutcome } from '../auth/authenticate.ts'
import { HttpRefusal } from './http-refusal.ts'

export function refuse(outcome: Extract<AuthOutcome, { type: 'refused' }>): never {
  const headers: Record<string, string> = {}
  if (outcome.status === 401) headers['WWW-Authenticate'] = 'Bearer'
  if (outcome.status === 429) headers['Retry-After'] = String(outcome.retryAfterS)
  throw new HttpRefusal(outcome.status, outcome.error, headers)
}
