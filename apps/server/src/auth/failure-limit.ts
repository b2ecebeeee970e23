import type { Clock } from '@polylogue/engine'
import { isIPv6 } from 'node:net'

const FAILURES_PER_WINDOW = 10
const WINDOW_MS = 60_000
const MAX_ADDRESSES = 10_000

/** Counts wrong keys per remote address. Loopback is exempt: behind it stand all the users of this machine. */
export interface FailureLimit {
  /** Seconds until this address may try again; 0 = now. */
  retryAfter(address: string): number
  record(address: string): void
}

export function createFailureLimit(clock: Clock): FailureLimit {
  const windows = new Map<string, { failures: number; readonly endsAt: number }>()
  return {
    retryAfter(address) {
      const window = windows.get(groupOf(address))
      if (window === undefined || window.failures < FAILURES_PER_WINDOW) return 0
      return Math.max(0, Math.ceil((window.endsAt - clock.now()) / 1000))
    },
    record(address) {
      if (isLoopback(address)) return
      const group = groupOf(address)
      const window = windows.get(group)
      if (window !== undefined && window.endsAt > clock.now()) {
        window.failures++
        return
      }
      windows.delete(group)
      windows.set(group, { failures: 1, endsAt: clock.now() + WINDOW_MS })
      // The oldest window goes first; a Map keeps the order in which they were opened.
      const [oldest] = windows.keys()
      if (windows.size > MAX_ADDRESSES && oldest !== undefined) windows.delete(oldest)
    },
  }
}

export function isLoopback(address: string): boolean {
  const plain = withoutMapping(address)
  return plain === '::1' || plain === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(plain)
}

/** `::ffff:10.0.0.1`, as sockets that take both families report it, is `10.0.0.1`. */
export function withoutMapping(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
}

/** An IPv6 client usually has a whole /64 to choose addresses from. */
function groupOf(address: string): string {
  const plain = withoutMapping(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: gap }, () => '0'), ...right].slice(0, 4).join(':')
}
