import { parseShape } from '@polylogue/kit'
import type { z } from 'zod'
import { describeIssue } from '../schema/describe-issue.ts'
import { findPayloadProblem } from './bounded-parser.ts'
import { SocketRefusal } from './errors.ts'

/** Parses a payload. Unknown fields are ignored. */
export function parsePayload<S extends z.ZodType>(schema: S, payload: unknown): z.output<S> {
  const problem = findPayloadProblem(payload)
  if (problem !== undefined) throw new SocketRefusal('invalid_payload', `payload: ${problem}`)
  const parsed = parseShape(schema, payload)
  if (parsed.success) return parsed.data
  throw new SocketRefusal('invalid_payload', describeIssue(parsed.error.issues[0], 'payload'))
}
