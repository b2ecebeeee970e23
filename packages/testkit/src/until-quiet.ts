import { setImmediate } from 'node:timers/promises'

/** Resolves when everything that waits for nothing outside the test has happened. Fakes never wait for real time. */
export async function untilQuiet(): Promise<void> {
  await setImmediate()
}
