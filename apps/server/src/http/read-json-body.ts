import { BodyRefused, parseShape, readJsonBody as readJson, type BodyLimits, type JsonLimits } from '@polylogue/kit'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { UNAUTHORIZED } from '../auth/authenticate.ts'
import { limitsSchema, type Limits } from '../config/limits.ts'
import { HttpRefusal } from './http-refusal.ts'
import { trailOf } from './request-trail.ts'
import { refuse } from './refuse-caller.ts'

/** Of requests to our own routes. */
export const smallBodyLimits: BodyLimits = {
  ...jsonLimitsOf(limitsSchema.parse({}, { jitless: true })),
  bytes: 64 * 1024,
}

export function jsonLimitsOf({ jsonDepth, jsonKeys, jsonStringLength }: Limits): JsonLimits {
  return { depth: jsonDepth, keys: jsonKeys, stringLength: jsonStringLength }
}

/** The body of one of our own small requests: bounded while it is read, JSON, and of this shape. */
export async function readJsonBody<E extends { Bindings: HttpBindings }, S extends z.ZodType>(
  c: Context<E>,
  schema: S,
  limits: BodyLimits = smallBodyLimits,
): Promise<z.infer<S>> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) {
    throw new HttpRefusal(415, 'Send application/json.')
  }
  const body = await readBounded(c.env.incoming, limits)
  // A body may come long after its head was let in.
  if (trailOf(c.env.incoming).caller?.revoked.aborted === true) refuse(UNAUTHORIZED)
  const parsed = parseShape(schema, body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new HttpRefusal(
    400,
    issue === undefined ? 'Bad request.' : `${issue.path.join('.') || 'body'}: ${issue.message}`,
  )
}

async function readBounded(incoming: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  try {
    return await readJson(incoming, limits)
  } catch (error) {
    if (error instanceof BodyRefused) throw new HttpRefusal(error.status, error.message)
    throw error
  }
}
