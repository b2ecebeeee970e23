// Two nodes that talk by Redis, which dies and comes back.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { requireTool } from '../../house/require-tool.ts'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { eventually } from '../../support/eventually.ts'
import { call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from '../support/nodes.ts'
import { revokeKeys } from '../support/revoke-keys.ts'
import { findFreePort } from '../support/start-nginx.ts'
import type { Rounds } from './database-faults.ts'

export interface LostRedis extends Rounds {
  /** Until a stream at the other node has ended. Five seconds are promised, on a machine with nothing else to do. */
  readonly withinMs: number
}

interface Stage {
  readonly nodes: Nodes
  readonly a: ServerProcess
  readonly b: ServerProcess
  killRedis(): Promise<void>
  startRedis(): Promise<void>
  remove(): Promise<void>
}

/** Returns what does not hold while messages go, while they do not, and when they go again. */
export async function loseRedis({ rounds, withinMs }: LostRedis): Promise<readonly string[]> {
  const stage = await start()
  const complaints: string[] = []
  const judge = async (when: string): Promise<void> => {
    const waits = [
      ['a cancel', await cancelFromTheOther(stage, (what) => void complaints.push(`${when}: ${what}`))],
      ['a revoked key', await revokeFromTheOther(stage, (what) => void complaints.push(`${when}: ${what}`))],
    ] as const
    for (const [what, ms] of waits)
      if (ms > withinMs) complaints.push(`${when}: ${what} ended the stream after ${Math.round(ms)} ms`)
  }
  try {
    await judge('before')
    for (let round = 0; round < rounds; round++) {
      await stage.killRedis()
      await judge(`${round}, without Redis`)
      await stage.startRedis()
      await judge(`${round}, with Redis again`)
    }
  } finally {
    await stage.remove()
  }
  return complaints
}

async function start(): Promise<Stage> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url)
  const port = await findFreePort()
  const spawnRedis = (): ChildProcess => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    return spawn(requireTool('redis-server', 'redis-server'), args, { stdio: 'ignore', cwd: nodes.folder })
  }
  let redis = spawnRedis()
  const flags = ['--redis', `redis://127.0.0.1:${port}`]
  const [a, b] = await Promise.all([nodes.start('a', { flags }), nodes.start('b', { flags })])
  const untilDegraded = (isSo: boolean): Promise<true> =>
    eventually(async () => {
      const answers = await Promise.all([a, b].map(async ({ url }) => (await fetch(`${url}/readyz`)).text()))
      return answers.every((answer) => answer.includes('degraded') === isSo) ? true : undefined
    }, `readyz says degraded: ${isSo}`)
  const end = async (): Promise<void> => {
    const ended = once(redis, 'exit')
    if (redis.exitCode === null && redis.signalCode === null && redis.kill('SIGKILL')) await ended
  }
  await untilDegraded(false)
  return {
    ...{ nodes, a, b },
    async killRedis() {
      await end()
      await untilDegraded(true)
    },
    async startRedis() {
      redis = spawnRedis()
      await untilDegraded(false)
    },
    async remove() {
      await nodes.remove()
      await end()
      await database.drop()
    },
  }
}

type Complain = (what: string) => void

/** A turn on one node, its stream and its cancellation on the other. Returns how long the stream went on after the cancel. */
async function cancelFromTheOther({ nodes, a, b }: Stage, complain: Complain): Promise<number> {
  const session = await openSession(a.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
  const run = nodes.counting.nextRun()
  const own = await session.stream('delta', script('say Hello', call('c1', 'linger', { run })))
  const ended = own.finished()
  const there = await b.client(V3).events(session.id, '?after=0')
  await nodes.untilRun(run)
  const askedAt = performance.now()
  const { status } = await b.client(V3).cancel(session.id)
  if (status >= 300) complain(`the cancel is answered with ${status}`)
  const frames = await there.finished()
  const waited = performance.now() - askedAt
  const text = frames.map(({ event, data }) => (event === 'text_delta' ? data['delta'] : '')).join('')
  if (text !== 'Hello') complain(`the other node shows "${text}"`)
  const [last, expected] = [JSON.stringify(frames.at(-1)?.data), JSON.stringify((await ended).at(-1)?.data)]
  if (last !== expected) complain(`the other node shows the end ${last}, and the runner ${expected}`)
  return waited
}

/** A key is revoked at one node while it has a stream at the other. Returns how long the stream went on. */
async function revokeFromTheOther({ a, b }: Stage, complain: Complain): Promise<number> {
  const key = await a.createKey('anna')
  const session = await openSession(b.client(V3, key), { agent: 'counting' })
  const there = await b.client(V3, key).events(session.id, '?follow=1&after=0')
  const ended = there.finished().catch(() => undefined)
  const revokedAt = performance.now()
  await revokeKeys(a, 'anna')
  await ended
  const waited = performance.now() - revokedAt
  const { status } = await b.client(V3, key).get(session.id)
  if (status !== 401) complain(`a revoked key gets ${status}`)
  return waited
}
