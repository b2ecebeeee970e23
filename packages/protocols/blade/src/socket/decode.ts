import type { z } from 'zod'
import { describeIssue } from '../schema/describe-issue.ts'
import type { PayloadLimits } from './deps.ts'
import { SocketRefusal } from './errors.ts'

/** Unknown fields are passed over. */
export function parsePayload<S extends z.ZodType>(schema: S, payload: unknown, limits: PayloadLimits): z.output<S> {
  checkShape(payload, limits)
  const parsed = schema.safeParse(payload)
  if (parsed.success) return parsed.data
  throw new SocketRefusal('invalid_payload', describeIssue(parsed.error.issues[0], 'payload'))
}

/** Level by level, because a value made to be deep would exhaust the stack of a function that calls itself. */
function checkShape(payload: unknown, { depth, keys, stringLength }: PayloadLimits): void {
  let level: unknown[] = [payload]
  let seen = 0
  for (let deep = 0; level.length > 0; deep++) {
    if (deep > depth) throw new SocketRefusal('invalid_payload', `the payload is nested deeper than ${depth} levels`)
    const next: unknown[] = []
    for (const value of level) {
      if (typeof value === 'string' && value.length > stringLength && !isBulk(value)) {
        throw new SocketRefusal('invalid_payload', `a text is longer than ${stringLength} characters`)
      }
      if (typeof value !== 'object' || value === null) continue
      const inner = Object.values(value)
      seen += inner.length
      if (seen > keys) throw new SocketRefusal('invalid_payload', `the payload has more than ${keys} values`)
      for (const item of inner) next.push(item)
    }
    level = next
  }
}

const BULK = /^(?:data:|[A-Za-z0-9+/]{256})/

/** Base64 of an image or a file. */
const isBulk = (text: string): boolean => BULK.test(text)
