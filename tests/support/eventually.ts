import { setTimeout as delay } from 'node:timers/promises'

const LOOK_EVERY_MS = 20
const GIVE_UP_MS = 20_000

/** Polls until a condition holds. For facts of another process that have no event. */
export async function eventually<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  const giveUpAt = performance.now() + GIVE_UP_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > giveUpAt) throw new Error(`timed out waiting for: ${what}`)
    await delay(LOOK_EVERY_MS)
  }
}
