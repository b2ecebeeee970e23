import type { Clock, StorageFault } from '@polylogue/engine'
import type { Log } from '../log/log.ts'

/** Logs a storage fault and its end once each, not for every write that it affects. */
export interface FaultLog {
  fault(fault: StorageFault): void
  worked(): void
}

const AGAIN_MS = 10_000

export function createFaultLog(log: Log, clock: Clock): FaultLog {
  let told: { readonly kind: string; readonly at: number } | undefined
  let faults = 0
  return {
    fault(fault) {
      faults += 1
      const isNews = told?.kind !== fault.kind || clock.now() - told.at >= AGAIN_MS
      if (!isNews) return
      told = { kind: fault.kind, at: clock.now() }
      log.error({ kind: fault.kind, faults, err: fault }, 'the storage fails')
    },
    worked() {
      if (told === undefined) return
      log.info({ kind: told.kind, faults }, 'the storage works again')
      told = undefined
      faults = 0
    },
  }
}
