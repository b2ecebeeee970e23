import { asUserId } from '@polylogue/engine'
import { expect, it } from 'vitest'
import type { Authenticate } from '../auth/authenticate.ts'
import { exchange } from '../test-support/exchange.ts'
import { startListener } from '../test-support/start-listener.ts'
import { createMcpRoutes } from './mcp-routes.ts'

const failed = { name: 'notes', state: 'failed', tools: 0, since: 1 } as const
const lastError = 'spawn /home/operator/bin/notes ENOENT'

/** Whoever comes is who they say. */
const believe: Authenticate = async ({ headers }) => ({
  type: 'caller',
  caller: {
    userId: asUserId(headers.authorization ?? ''),
    via: 'key',
    keyId: 'key_1',
    revoked: new AbortController().signal,
  },
})

it('S20: what went wrong with a server, which may name paths of this machine, is told to the user local alone', async () => {
  const health = () => [{ ...failed, lastError }]
  const { url } = await startListener({
    routes: (app) => app.route('/mcp', createMcpRoutes({ health }, { list: () => [] }, believe)),
  })
  const read = async (authorization: string) => (await exchange(`${url}/mcp`, { headers: { authorization } })).body
  expect(await read('local')).toEqual({ servers: [{ ...failed, lastError }], tools: [] })
  expect(await read('anna')).toEqual({ servers: [failed], tools: [] })
})
