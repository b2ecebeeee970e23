import { setTimeout as delay } from 'node:timers/promises'

/** Looks until it is so. For what a wire brings without an event of its own. Returns whether it came in time. */
export async function waitFor(isSo: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    if (await isSo()) return true
    if (performance.now() > giveUpAt) return false
    await delay(10)
  }
}
