import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

let database: ServerDatabase
let nodes: Nodes

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
})
afterAll(async () => {
  await nodes.remove()
  await database.drop()
})

describe('limits on two nodes', { timeout: 90_000 }, () => {
  it('the open streams of a key are counted on all nodes together', async () => {
    const config = join(nodes.folder, 'limits.json')
    await writeFile(config, JSON.stringify({ limits: { streamsPerKey: 2 } }))
    const [a, b] = await Promise.all(['a', 'b'].map((name) => nodes.start(name, { flags: ['--config', config] })))
    if (a === undefined || b === undefined) throw new Error('no nodes')
    const key = await a.createKey('ada')
    const session = await openSession(a.client(V3, key), { agent: 'scripted' })
    const open = await Promise.all([1, 2].map(() => a.client(V3, key).events(session.id, '?after=0&follow=1')))
    expect(open.map(({ status }) => status)).toEqual([200, 200])
    const tryThere = async (): Promise<number> => {
      const stream = await b.client(V3, key).events(session.id, '?after=0&follow=1')
      stream.cut()
      return stream.status
    }
    await eventually(async () => ((await tryThere()) === 429 ? true : undefined), 'the other node refuses a third one')
    for (const stream of open) stream.cut()
    await eventually(async () => ((await tryThere()) === 200 ? true : undefined), 'the other node accepts one again')
  })
})
