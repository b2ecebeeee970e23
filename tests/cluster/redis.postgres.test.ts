import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireTool } from '../house/require-tool.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/test-server.ts'
import { revokeKeys } from './support/revoke-keys.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from './support/nodes.ts'
import { findFreePort } from './support/start-nginx.ts'

let database: ServerDatabase
let nodes: Nodes
let redis: ChildProcess
let port: number
let a: ServerProcess
let b: ServerProcess

function startRedis(): ChildProcess {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  return spawn(requireTool('redis-server', 'redis-server'), args, { stdio: 'ignore', cwd: nodes.folder })
}

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  port = await findFreePort()
  redis = startRedis()
  const flags = ['--redis', `redis://127.0.0.1:${port}`]
  a = await nodes.start('a', { flags })
  b = await nodes.start('b', { flags })
}, 60_000)
afterAll(async () => {
  await nodes.remove()
  if (redis.exitCode === null && redis.kill('SIGKILL')) await once(redis, 'exit')
  await database.drop()
})

const untilDegraded = (isSo: boolean): Promise<true> =>
  eventually(async () => {
    const answers = await Promise.all([a, b].map(async ({ url }) => (await fetch(`${url}/readyz`)).json()))
    return answers.every((answer) => typeof answer === 'object' && answer !== null && 'degraded' in answer === isSo)
      ? true
      : undefined
  }, `readyz says degraded: ${isSo}`)

/** A turn on one node, its stream and its cancellation on the other. */
async function cancelFromTheOther(): Promise<void> {
  const session = await openSession(a.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
  const run = nodes.counting.nextRun()
  const own = await session.stream('delta', script('say Hello', call('c1', 'linger', { run })))
  const ended = own.finished()
  const there = await b.client(V3).events(session.id, '?after=0')
  await nodes.untilRun(run)
  expect((await b.client(V3).cancel(session.id)).status).toBeLessThan(300)
  const frames = await there.finished()
  expect(frames.map(({ event, data }) => (event === 'text_delta' ? data['delta'] : '')).join('')).toBe('Hello')
  expect(frames.at(-1)).toMatchObject({ event: 'turn_stop', data: (await ended).at(-1)?.data })
}

/** A key is revoked at one node while it has a stream at the other. */
async function revokeFromTheOther(): Promise<void> {
  const key = await a.createKey('anna')
  const session = await openSession(b.client(V3, key), { agent: 'counting' })
  const there = await b.client(V3, key).events(session.id, '?follow=1&after=0')
  const ended = there.finished().catch(() => undefined)
  const revokedAt = performance.now()
  await revokeKeys(a, 'anna')
  await ended
  // The proof judges the promised second.
  expect(performance.now() - revokedAt).toBeLessThan(15_000)
  expect((await b.client(V3, key).get(session.id)).status).toBe(401)
}

it(
  'cluster 43, 55: nodes talk by Redis; without it they only take longer, and a revoked key still ends its streams',
  { timeout: 120_000 },
  async () => {
    await untilDegraded(false)
    await cancelFromTheOther()
    await revokeFromTheOther()
    redis.kill('SIGKILL')
    await once(redis, 'exit')
    await untilDegraded(true)
    await cancelFromTheOther()
    await revokeFromTheOther()
    redis = startRedis()
    await untilDegraded(false)
    await cancelFromTheOther()
  },
)
