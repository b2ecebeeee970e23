import type { RandomBytes } from '@polylogue/engine'
import { getRandomValues } from 'node:crypto'

/** Asking the system costs the same for 16 bytes as for thousands, and every request and every event has an id. */
const POOL_BYTES = 8192

const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES

/** No byte is given out twice, or stays behind in the pool. */
export const randomBytes: RandomBytes = (length) => {
  if (length > POOL_BYTES / 8) return getRandomValues(new Uint8Array(length))
  if (used + length > POOL_BYTES) {
    getRandomValues(pool)
    used = 0
  }
  const bytes = pool.slice(used, used + length)
  pool.fill(0, used, used + length)
  used += length
  return bytes
}
