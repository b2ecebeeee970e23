import type { IncomingMessage } from 'node:http'
import type { Caller } from '../auth/caller.ts'
import { randomBytes } from '../platform/random-bytes.ts'

/** Facts about a request, for the log and the counters when it ends. */
export interface RequestTrail {
  readonly id: string
  readonly startedAt: number
  /** The route's pattern. Never the path, which holds ids. */
  route?: string
  caller?: Caller
}

const trails = new WeakMap<IncomingMessage, RequestTrail>()

export function beginTrail(incoming: IncomingMessage): RequestTrail {
  const trail = { id: Buffer.from(randomBytes(6)).toString('hex'), startedAt: performance.now() }
  trails.set(incoming, trail)
  return trail
}

export function trailOf(incoming: IncomingMessage): RequestTrail {
  return trails.get(incoming) ?? beginTrail(incoming)
}
