import type { IncomingMessage } from 'node:http'
import type { Caller } from '../auth/caller.ts'
import { randomBytes } from '../platform/random-bytes.ts'

/** Facts about a request, for the log and the counters when it ends. */
export class RequestTrail {
  readonly startedAt = performance.now()
  /** The route's pattern. Never the path, which holds ids. */
  route: string | undefined
  caller: Caller | undefined
  #id: string | undefined

  /** Made when it is first asked for: most requests leave no line in the log. */
  get id(): string {
    this.#id ??= Buffer.from(randomBytes(6)).toString('hex')
    return this.#id
  }
}

/** On the request itself: entries of a weak map cost the garbage collector more than the rest of a trail. */
const TRAIL = Symbol('trail')

interface Trailed {
  [TRAIL]?: RequestTrail
}

export function beginTrail(incoming: IncomingMessage & Trailed): RequestTrail {
  return (incoming[TRAIL] = new RequestTrail())
}

export function trailOf(incoming: IncomingMessage & Trailed): RequestTrail {
  return incoming[TRAIL] ?? beginTrail(incoming)
}
