import { asUserId, type KeyRecord } from '@polylogue/engine'
import { Hono } from 'hono'
import { z } from 'zod'
import type { Authenticate } from '../auth/authenticate.ts'
import { TooManyKeys, type KeyRing } from '../auth/key-ring.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { readJsonBody } from '../http/read-json-body.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'

const newKey = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    // Half a character cannot be stored as it is, and the others would have their own way with a terminal.
    .refine(
      (name) => name.isWellFormed() && !/\p{Cc}/u.test(name),
      'whole characters, none of them control characters',
    ),
  user: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'up to 64 letters, digits, dots, dashes and underscores')
    .optional(),
})

/** Everybody manages their own keys; through the owner socket, those of all users. */
export function createKeyRoutes(keys: KeyRing, authenticate: Authenticate): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use(requireCaller(authenticate))

  routes.get('/', async (c) => {
    const { via, userId } = c.var.caller
    const records = await keys.list(via === 'owner-socket' ? undefined : userId)
    return c.json({ keys: records.map(toKeyJson) })
  })

  routes.post('/', async (c) => {
    const { via, userId } = c.var.caller
    const { name, user } = await readJsonBody(c, newKey)
    if (user !== undefined && user !== userId && via !== 'owner-socket') {
      throw new HttpRefusal(403, 'Keys for other users are made with `polylogue keys create --user`.')
    }
    const { record, plain } = await keys
      .requestApiKey(user === undefined ? userId : asUserId(user), name)
      .catch(refuseTooMany)
    return c.json({ ...toKeyJson(record), key: plain }, 201)
  })

  routes.delete('/:id', async (c) => {
    const { via, userId } = c.var.caller
    if (!(await keys.revoke(c.req.param('id'), via === 'owner-socket' ? undefined : userId))) {
      throw new HttpRefusal(404, 'No such key.')
    }
    return c.body(null, 204)
  })
  return routes
}

function refuseTooMany(error: unknown): never {
  if (error instanceof TooManyKeys) throw new HttpRefusal(409, error.message)
  throw error
}

function toKeyJson(record: KeyRecord) {
  return {
    id: record.id,
    user: record.userId,
    kind: record.kind,
    name: record.name,
    prefix: record.prefix,
    lastFour: record.lastFour,
    createdAt: record.createdAt,
    lastUsedAt: record.lastUsedAt,
    expiresAt: record.expiresAt,
  }
}
