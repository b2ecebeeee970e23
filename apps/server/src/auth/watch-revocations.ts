import type { Clock, Timer } from '@polylogue/engine'
import type { KeyRing } from './key-ring.ts'

/** Another node may revoke a key: what the key opened here ends within a second, which includes the time of the look. */
const LOOK_MS = 700

/** Looks for revoked keys at intervals. Only where other nodes use the same storage. */
export function watchRevocations(keys: Pick<KeyRing, 'endRevoked'>, clock: Clock): { stop(): void } {
  let timer: Timer | undefined
  let isStopped = false
  const schedule = (): void => {
    timer = clock.setTimer(LOOK_MS, () => {
      void keys
        .endRevoked()
        // The observer of the store reports the fault, and the next look makes up for it.
        .catch(() => undefined)
        .finally(() => {
          if (!isStopped) schedule()
        })
    })
  }
  schedule()
  return {
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
