import { setTimeout as delay } from 'node:timers/promises'

/** Polls until the condition holds, for changes that no event announces. Returns whether it held in time. */
export async function waitFor(isSo: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    if (await isSo()) return true
    if (performance.now() > giveUpAt) return false
    await delay(10)
  }
}
