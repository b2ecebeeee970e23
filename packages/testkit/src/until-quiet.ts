import { setImmediate } from 'node:timers/promises'

/**
 * Resolves when all pending promises that need nothing from outside the test are settled. Fakes never wait for real
 * time.
 */
export async function untilQuiet(): Promise<void> {
  await setImmediate()
}
