import { asEntryId, asSessionId, asToolCallId, asTurnId, type SessionId, type UserId } from './ids.ts'
import type { Clock } from './ports/clock.ts'
import type { Digest, Ids, RandomBytes } from './ports/ids.ts'
import { userSlotOf } from './user-slot.ts'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Ids from a clock and random bytes. Session ids are UUIDv7 (RFC 9562): 48 bits of milliseconds, then 12 bits that count
 * up within a millisecond so that ids sort by creation, then 6 random bits, the user's slot and 44 random bits.
 */
export function createIds(clock: Clock, random: RandomBytes, digest: Digest): Ids {
  let lastMs = 0
  let counter = 0

  const sessionId = (userId: UserId): SessionId => {
    const now = clock.now()
    if (now > lastMs) {
      lastMs = now
      counter = 0
    } else if (++counter > 0xfff) {
      lastMs++
      counter = 0
    }
    const bytes = random(16)
    bytes[0] = Math.floor(lastMs / 2 ** 40) & 0xff
    bytes[1] = Math.floor(lastMs / 2 ** 32) & 0xff
    bytes[2] = (lastMs >>> 24) & 0xff
    bytes[3] = (lastMs >>> 16) & 0xff
    bytes[4] = (lastMs >>> 8) & 0xff
    bytes[5] = lastMs & 0xff
    bytes[6] = 0x70 | (counter >>> 8)
    bytes[7] = counter & 0xff
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
    const hex = toHex(bytes)
    const slot = userSlotOf(userId, digest)
    return asSessionId(
      `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 18)}${slot.slice(0, 2)}-${slot.slice(2)}${hex.slice(21)}`,
    )
  }
  const prefixed = (prefix: string): string => prefix + toHex(random(12))

  return {
    sessionId,
    turnId: () => asTurnId(prefixed('turn_')),
    entryId: () => asEntryId(prefixed('entry_')),
    toolCallId: () => asToolCallId(prefixed('tc_')),
  }
}

function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += HEX[byte]
  return hex
}
