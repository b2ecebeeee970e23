import { createHash } from 'node:crypto'

/** The place of a turn in a trace. Every node computes the same one, so a turn that moves stays in one trace. */
export interface TurnTrace {
  readonly traceId: string
  readonly spanId: string
}

export function traceOf(turnId: string): TurnTrace {
  const hash = createHash('sha256').update(turnId).digest('hex')
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) }
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** The caller's span, from the header of https://www.w3.org/TR/trace-context. `undefined`: none, or not a valid one. */
export function parseTraceparent(header: string | undefined): (TurnTrace & { readonly flags: number }) | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, flags: Number.parseInt(flags, 16) }
}
