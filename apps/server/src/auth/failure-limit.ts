import type { Clock } from '@polylogue/engine'
import { clientGroup, isLoopback } from '../http/network-address.ts'
import type { SharedCounts } from '../limits/shared-counts.ts'

const FAILURES_PER_WINDOW = 10
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 10_000
const NAME = 'wrong keys'

/** Counts wrong keys per client address. */
export interface FailureLimit {
  /** Seconds until this address may try again; 0 = now. */
  retryAfter(address: string): number
  record(address: string): void
}

export interface FailureLimitOptions {
  readonly clock: Clock
  /** Behind it stand all the users of this machine, so it is exempt unless somebody wants it otherwise. */
  readonly loopback?: 'exempt' | 'counted'
  /** What other nodes count. Absent: there is only this one. */
  readonly shared?: SharedCounts
}

export function createFailureLimit({ clock, loopback = 'exempt', shared }: FailureLimitOptions): FailureLimit {
  const windows = new Map<string, { failures: number; readonly endsAt: number }>()
  const count = (group: string, failures: number): void => {
    const window = windows.get(group)
    if (window !== undefined && window.endsAt > clock.now()) {
      window.failures += failures
      return
    }
    windows.delete(group)
    windows.set(group, { failures, endsAt: clock.now() + WINDOW_MS })
    // The oldest window goes first; a Map keeps the order in which they were opened.
    const [oldest] = windows.keys()
    if (windows.size > MAX_ADDRESSES && oldest !== undefined) windows.delete(oldest)
  }
  shared?.onTaken(NAME, { charge: count })
  return {
    retryAfter(address) {
      const window = windows.get(clientGroup(address))
      if (window === undefined || window.failures < FAILURES_PER_WINDOW) return 0
      return Math.max(0, Math.ceil((window.endsAt - clock.now()) / 1000))
    },
    record(address) {
      if (loopback === 'exempt' && isLoopback(address)) return
      const group = clientGroup(address)
      count(group, 1)
      shared?.took(NAME, group)
    },
  }
}
