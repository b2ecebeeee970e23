import { EngineError } from '../errors.ts'
import type { SessionId } from '../ids.ts'
import type { AppendConflict } from '../ports/event-store.ts'

/** The runner lost its lease. It must stop immediately and record nothing more. */
export class FencedOff extends Error {}

/** The message names the setting, because the store does not know the limit. */
export function quotaExceeded(reason: AppendConflict): EngineError | undefined {
  switch (reason) {
    case 'session-full':
      return new EngineError(
        'quota-exceeded',
        'this session holds as much as one session may (limits.sessionBytes); go on in another one',
      )
    case 'user-full':
      return new EngineError(
        'quota-exceeded',
        'your sessions hold as much as those of one user may (limits.userBytes); delete some of them',
      )
    default:
      return undefined
  }
}

/** Another request with the same idempotency key was stored first. */
export class ReceiptTaken extends Error {}

/** Another process runs the session, so the append could not claim it. Nothing was stored. */
export class LeaseHeld extends Error {}

/** `undefined`: the log is longer than expected. */
export function errorOfConflict(reason: AppendConflict, sessionId: SessionId): Error | undefined {
  switch (reason) {
    case 'fenced':
      return new FencedOff(`session ${sessionId} has another runner`)
    case 'lease-held':
      return new LeaseHeld(`session ${sessionId} has another runner`)
    case 'receipt-taken':
      return new ReceiptTaken()
    case 'session-gone':
      return new EngineError('session-not-found', 'there is no such session')
    default:
      return quotaExceeded(reason)
  }
}
