import type { KeyRecord } from '@polylogue/engine'
import { z } from 'zod'
import type { ApiKeys, BladeRestDeps, Caller } from './deps.ts'
import { label, toTime } from '../schema/fields.ts'
import { operation, type Operation } from './operation.ts'
import { Refusal } from './refusal.ts'
import { apiKeySchema, newApiKeySchema, type ApiKey } from '../schema/api-key.ts'

const tag = 'API keys'
const named = z.object({ name: label(50) })

/** The keys of the calling user. Browser sign-ins are not API keys. */
export function apiKeyOperations({ keys }: Pick<BladeRestDeps, 'keys'>): readonly Operation[] {
  return [
    operation({
      method: 'GET',
      path: '/api/user/api-keys',
      name: 'listApiKeys',
      tag,
      summary: 'List your API keys',
      answer: z.array(apiKeySchema),
      run: async ({ caller }) => (await listKeys(keys, caller)).map(toApiKey),
    }),
    operation({
      method: 'POST',
      path: '/api/user/api-keys',
      name: 'createApiKey',
      tag,
      summary: 'Create an API key. Only this response shows the key itself.',
      status: 201,
      body: named,
      answer: newApiKeySchema,
      async run({ caller, body }) {
        if (caller.mayMakeKeys === false) {
          throw new Refusal(403, 'This browser signed in more than ten minutes ago. Sign in again to make a key.')
        }
        const { record, plain } = await keys.createApiKey(caller.userId, body.name)
        const key = toApiKey(record)
        return { ...key, plaintext: plain, key }
      },
    }),
    operation({
      method: 'GET',
      path: '/api/user/api-keys/{key_id}',
      name: 'getApiKey',
      tag,
      summary: 'Get one of your API keys',
      answer: apiKeySchema,
      run: async ({ caller, param }) => toApiKey(await findKey(keys, caller, param('key_id'))),
    }),
    operation({
      method: 'PATCH',
      path: '/api/user/api-keys/{key_id}',
      name: 'renameApiKey',
      tag,
      summary: 'Rename an API key',
      body: named,
      answer: apiKeySchema,
      async run({ caller, param, body: { name } }) {
        const record = await findKey(keys, caller, param('key_id'))
        if (!(await keys.rename(record.id, name, caller.userId))) throw noSuchKey()
        return toApiKey({ ...record, name })
      },
    }),
    operation({
      method: 'DELETE',
      path: '/api/user/api-keys/{key_id}',
      name: 'deleteApiKey',
      tag,
      summary: 'Revoke an API key and close its connections',
      async run({ caller, param }) {
        const { id } = await findKey(keys, caller, param('key_id'))
        if (!(await keys.revoke(id, caller.userId))) throw noSuchKey()
      },
    }),
  ]
}

const noSuchKey = (): Refusal => new Refusal(404, 'There is no such API key.')

async function listKeys(keys: ApiKeys, { userId }: Caller): Promise<readonly KeyRecord[]> {
  return (await keys.list(userId)).filter(({ kind }) => kind === 'api')
}

async function findKey(keys: ApiKeys, caller: Caller, id: string): Promise<KeyRecord> {
  const found = (await listKeys(keys, caller)).find((record) => record.id === id)
  if (found === undefined) throw noSuchKey()
  return found
}

function toApiKey({ id, name, prefix, lastFour, createdAt, lastUsedAt }: KeyRecord): ApiKey {
  return {
    id,
    name,
    masked: `${prefix}...${lastFour}`,
    plaintext: null,
    created_at: toTime(createdAt),
    last_used_at: lastUsedAt === undefined ? null : toTime(lastUsedAt),
  }
}
