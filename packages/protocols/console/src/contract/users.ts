import { z } from 'zod'
import { count, time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

export const userName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must have up to 64 letters, digits, dots, dashes and underscores')

const role = z.enum(['user', 'admin'])

const user = z
  .object({
    name: z.string(),
    role,
    /** Absent: nobody added the user; a key was made for it. */
    createdAt: time.optional(),
    /** API keys that work. */
    keys: count,
    /** Browsers that are signed in. */
    browsers: count,
    lastUsedAt: time.optional(),
  })
  .meta({ id: 'ConsoleUser' })
export type User = Sent<z.infer<typeof user>>

const tag = 'users'
const forbidden = 'you are no admin, or the browser signed in more than ten minutes ago'

export const userOperations = defineOperations({
  listUsers: {
    method: 'GET',
    path: '/users',
    tag,
    summary: 'List the users. For admins.',
    status: 200,
    answer: z.object({ users: z.array(user) }),
    refusals: { 403: 'you are no admin' },
  },
  addUser: {
    method: 'POST',
    path: '/users',
    tag,
    summary: 'Add a user. The answer has a link that signs the new user in, once, within ten minutes. For admins.',
    status: 201,
    body: z.object({ name: userName, role: role.default('user') }),
    answer: user.extend({
      /** Absent: the server listens on no address that a browser can open. */
      link: z.object({ url: z.string(), expiresAt: time }).optional(),
    }),
    refusals: { 403: forbidden, 409: 'the user exists' },
  },
  changeUser: {
    method: 'PATCH',
    path: '/users/{name}',
    tag,
    summary: 'Change the role of a user. For admins.',
    status: 200,
    body: z.object({ role }),
    answer: user,
    refusals: { 403: forbidden, 409: 'the user local is always an admin' },
  },
  removeUser: {
    method: 'DELETE',
    path: '/users/{name}',
    tag,
    summary:
      'Remove a user with keys, sign-ins, memories, rules and schedules. With `sessions=delete` also the sessions. For admins.',
    status: 200,
    query: z.object({ sessions: z.enum(['keep', 'delete']).default('keep') }),
    answer: z.object({ sessions: count }),
    refusals: { 403: forbidden, 409: 'the user has sessions, or is `local`' },
  },
})
