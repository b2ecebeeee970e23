// How long a key works at one node after another node has revoked it, with and without messages between the nodes.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireTool } from '../house/require-tool.ts'
import { proofSize, startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'
import { revokeKeys } from './support/revoke-keys.ts'
import { findFreePort } from './support/start-nginx.ts'

const ROUNDS = 100
const PROMISED_MS = 1_000

let database: ServerDatabase
let nodes: Nodes
let redis: ChildProcess
let redisFlags: readonly string[]
let a: ServerProcess
let b: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  const port = String(await findFreePort())
  const args = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  redis = spawn(requireTool('redis-server', 'redis-server'), args, { stdio: 'ignore', cwd: nodes.folder })
  redisFlags = ['--redis', `redis://127.0.0.1:${port}`]
}, 120_000)
afterAll(async () => {
  await nodes.remove()
  if (redis.exitCode === null && redis.kill('SIGKILL')) await once(redis, 'exit')
  await database.drop()
})

const isDegraded = async ({ url }: ServerProcess): Promise<boolean> =>
  (await (await fetch(`${url}/readyz`)).text()).includes('degraded')

const untilMessages = (areUp: boolean): Promise<true> =>
  eventually(
    async () => ((await isDegraded(a)) === !areUp && (await isDegraded(b)) === !areUp ? true : undefined),
    `messages between nodes: ${areUp}`,
  )

/** Answers after how many milliseconds the stream at the other node had ended. */
async function revoke(user: string): Promise<number> {
  const key = await a.createKey(user)
  const session = await openSession(b.client(V3, key), { agent: 'counting' })
  const ended = (await b.client(V3, key).events(session.id, '?follow=1&after=0')).finished().catch(() => undefined)
  await revokeKeys(a, user)
  const revokedAt = performance.now()
  await ended
  const waited = performance.now() - revokedAt
  expect((await b.client(V3, key).get(session.id)).status).toBe(401)
  return waited
}

async function startNodes(flags: readonly string[]): Promise<void> {
  await nodes.killAll()
  ;[a, b] = [await nodes.start('a', { flags }), await nodes.start('b', { flags })]
}

async function prove(state: string): Promise<void> {
  const seconds = startStopwatch()
  const waits: number[] = []
  for (let round = 0; round < proofSize(ROUNDS); round++)
    waits.push(await revoke(`anna-${state.replaceAll(' ', '-')}-${round}`))
  const late = waits.filter((ms) => ms > PROMISED_MS)
  const slowest = Math.round(Math.max(...waits))
  tellProof({
    ...{ id: 'revoked-keys', store: 'postgres', seed: 'none', seconds: seconds(), failures: late.length },
    what: `keys revoked at another node, while messages between nodes ${state}: the slowest stream ended after ${slowest} ms`,
    count: waits.length,
    complaints: late.map((ms) => `the stream ended after ${Math.round(ms)} ms`),
  })
  expect(late).toEqual([])
}

const timeout = 30 * 60_000

it('cluster 55: within a second everywhere, by NOTIFY', { timeout }, async () => {
  await startNodes([])
  await untilMessages(true)
  await prove('go by NOTIFY')
})

it('cluster 55: within a second everywhere, by Redis and without it', { timeout }, async () => {
  await startNodes(redisFlags)
  await untilMessages(true)
  await prove('go by Redis')
  if (redis.kill('SIGKILL')) await once(redis, 'exit')
  await untilMessages(false)
  await prove('are down')
})
