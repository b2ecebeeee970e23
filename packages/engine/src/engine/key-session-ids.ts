import { asSessionId, type SessionId, type UserId } from '../ids.ts'
import type { Digest } from '../ports/ids.ts'

const HOUR_MS = 3_600_000
/** A repeat is recognised for this long. */
const KEPT_HOURS = 24

/**
 * The ids that a session created with this idempotency key can have: the one for now first, then those of the past day.
 * They are UUIDv7 with the full hour as their time and the hash of user and key in place of random bits. So a repeated
 * request finds the session by its id, and two requests at once cannot both create it.
 */
export function keySessionIds(digest: Digest, owner: { userId: UserId; key: string }, now: number): SessionId[] {
  const hash = digest(JSON.stringify(['create-session', owner.userId, owner.key]))
  const variant = ((Number.parseInt(hash.slice(3, 4), 16) & 0x3) | 0x8).toString(16)
  const hour = Math.floor(now / HOUR_MS)
  return Array.from({ length: KEPT_HOURS + 1 }, (_, ago) => {
    const time = ((hour - ago) * HOUR_MS).toString(16).padStart(12, '0')
    return asSessionId(
      `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`,
    )
  })
}
