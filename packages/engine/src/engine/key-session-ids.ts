import { asSessionId, type SessionId, type UserId } from '../ids.ts'
import type { Digest } from '../ports/ids.ts'
import { userSlotOf } from '../user-slot.ts'

const HOUR_MS = 3_600_000
/** How long a repeat is recognized. */
const KEPT_HOURS = 24

/**
 * The possible ids of a session that was created with this idempotency key: the id for the current hour first, then
 * those of the past day. They are UUIDv7 with the full hour as time, a hash of user and key instead of random bits, and the user's slot.
 * So a repeated request finds the session by its id, and two concurrent requests cannot both create it.
 */
export function keySessionIds(digest: Digest, owner: { userId: UserId; key: string }, now: number): SessionId[] {
  const hash = digest(JSON.stringify(['create-session', owner.userId, owner.key]))
  const variant = ((Number.parseInt(hash.slice(3, 4), 16) & 0x3) | 0x8).toString(16)
  const slot = userSlotOf(owner.userId, digest)
  const hour = Math.floor(now / HOUR_MS)
  return Array.from({ length: KEPT_HOURS + 1 }, (_, ago) => {
    const time = ((hour - ago) * HOUR_MS).toString(16).padStart(12, '0')
    return asSessionId(
      `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 5)}${slot.slice(0, 2)}-${slot.slice(2)}${hash.slice(5, 16)}`,
    )
  })
}
