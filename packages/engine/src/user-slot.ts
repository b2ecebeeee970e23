import type { UserId } from './ids.ts'
import type { Digest } from './ports/ids.ts'

/**
 * The slot of a user: 12 bits of a hash, as three hexadecimal digits. Bytes 9 and 10 of each session id begin with the slot of its
 * user, so that an id alone says where its session is when users are spread over several databases.
 */
export const userSlotOf = (userId: UserId, digest: Digest): string => digest(userId).slice(0, 3)
