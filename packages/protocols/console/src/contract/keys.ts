import { z } from 'zod'
import { time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'
import { userName } from './users.ts'

export const key = z
  .object({
    id: z.string(),
    user: z.string(),
    /** `browser`: a sign-in. */
    kind: z.enum(['api', 'browser']),
    name: z.string(),
    prefix: z.string(),
    lastFour: z.string(),
    createdAt: time,
    lastUsedAt: time.optional(),
    expiresAt: time.optional(),
  })
  .meta({ id: 'ConsoleKey' })
export type Key = Sent<z.infer<typeof key>>

const newKey = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    // An unpaired surrogate cannot be stored, and control characters could steer the terminal that lists keys.
    .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), 'must have no control or broken characters'),
  user: userName.optional(),
})

const tag = 'keys'

export const keyOperations = defineOperations({
  listKeys: {
    method: 'GET',
    path: '/keys',
    tag,
    summary: 'List your API keys and browser sign-ins; over the owner socket, those of all users.',
    status: 200,
    /** For admins: another user, or `*` for all. */
    query: z.object({ user: z.union([z.literal('*'), userName]).optional() }),
    answer: z.object({ keys: z.array(key) }),
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    tag,
    summary: 'Make an API key. This answer is the only one that contains it.',
    status: 201,
    body: newKey,
    answer: key.extend({ key: z.string() }),
    refusals: {
      403: 'the key would be for another user, or the browser signed in more than ten minutes ago',
      409: 'you have the most keys that a user can have',
    },
  },
  revokeKey: {
    method: 'DELETE',
    path: '/keys/{id}',
    tag,
    summary: 'Revoke a key or a sign-in, and end what it has open. Admins can revoke those of others.',
    status: 204,
  },
  createSignInLink: {
    method: 'POST',
    path: '/signin-codes',
    tag,
    summary: 'Make a link that signs one browser in, once, within ten minutes.',
    status: 201,
    body: z.object({ user: userName.optional() }),
    answer: z.object({ url: z.string(), user: z.string(), expiresAt: time }),
    refusals: {
      403: 'the link would be for another user, or the browser signed in more than ten minutes ago',
      409: 'the server listens on no address that a browser can open',
    },
  },
})
