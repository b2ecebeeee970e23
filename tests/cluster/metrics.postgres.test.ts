import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startFreezingProxy } from './support/freezing-proxy.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

let database: ServerDatabase
let nodes: Nodes

beforeEach(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
})
afterEach(async () => {
  await nodes.remove()
  await database.drop()
})

/** As the operator reads it on the machine itself, where no key is needed. */
async function readMetrics({ dataDir }: ServerProcess): Promise<string> {
  const socketPath = join(dataDir, 'polylogue.sock')
  const [answer] = await once(request({ socketPath, path: '/metrics', agent: false }).end(), 'response')
  expect(answer.statusCode).toBe(200)
  return text(answer)
}

it('cluster 65: each node counts what it does, and says so while it does not reach the database', async () => {
  const proxy = await startFreezingProxy(database.url)
  const [a, b] = await Promise.all([nodes.start('a', { database: proxy.url }), nodes.start('b')])
  await (await openSession(a.client(V3), { agent: 'counting' })).turn('say it')
  const [ofA, ofB] = [await readMetrics(a), await readMetrics(b)]
  expect(ofA).toContain('polylogue_turns_total{outcome="finished"} 1\n')
  expect(ofB).not.toContain('polylogue_turns_total{')
  for (const metrics of [ofA, ofB]) {
    expect(metrics).toContain('polylogue_database_up 1\n')
    expect(metrics).toContain('polylogue_messages_up 1\n')
    expect(metrics).not.toContain('polylogue_wal_bytes')
  }
  proxy.freeze()
  await eventually(async () => {
    const metrics = await readMetrics(a)
    return metrics.includes('polylogue_database_up 0\n') && metrics.includes('polylogue_messages_up 0\n')
      ? true
      : undefined
  }, 'the node says that it lacks the database')
  expect(await readMetrics(b)).toContain('polylogue_database_up 1\n')
  proxy.close()
})
