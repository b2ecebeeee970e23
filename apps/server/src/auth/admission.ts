import type { Socket } from 'node:net'
import { trailOf } from '../http/request-trail.ts'
import type { RateLimit } from '../limits/rate-limit.ts'
import type { Authenticate } from './authenticate.ts'

export interface AdmissionDeps {
  readonly authenticate: Authenticate
  /** By key. */
  readonly requests: RateLimit
  /** The connection has shown a good key. */
  admitSocket?(socket: Socket): void
  wrongKey(): void
  /** The key asks too often. */
  refused(): void
}

/** The one way in, with what every request that comes through it has to bear: it is counted, and noted for the log. */
export function createAdmission(deps: AdmissionDeps): Authenticate {
  const { authenticate, requests, admitSocket, wrongKey, refused } = deps
  return async (incoming) => {
    const outcome = await authenticate(incoming)
    if (outcome.type === 'refused') {
      const { authorization, cookie } = incoming.headers
      if (outcome.status === 401 && (authorization ?? cookie) !== undefined) wrongKey()
      return outcome
    }
    const { caller } = outcome
    trailOf(incoming).caller = caller
    admitSocket?.(incoming.socket)
    const retryAfterS = requests.take(caller.keyId)
    if (retryAfterS === 0) return outcome
    refused()
    return { type: 'refused', status: 429, error: 'Too many requests with this key.', retryAfterS }
  }
}
