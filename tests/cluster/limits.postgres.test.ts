import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { ServerProcess } from '../support/server-process.ts'
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
  it('a turn that ran on another node counts there while it runs, and nowhere afterwards', async () => {
    const config = join(nodes.folder, 'turns.json')
    await writeFile(config, JSON.stringify({ limits: { runningTurnsPerUser: 2 } }))
    const starting = ['web', 'worker'].map((role) =>
      nodes.start(`turns-${role}`, { flags: ['--config', config, '--role', role] }),
    )
    const [web, worker] = await Promise.all(starting)
    if (web === undefined || worker === undefined) throw new Error('no nodes')
    for (const word of ['one', 'two', 'three', 'four']) {
      const session = await openSession(web.client(V3), { agent: 'scripted' })
      expect(JSON.stringify(await session.turn(`say ${word}`))).toContain(word)
    }
    const running = async ({ url }: ServerProcess): Promise<string | undefined> => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${web.key}` } })
      return /^polylogue_running_turns \d+$/m.exec(await response.text())?.[0]
    }
    for (const node of [web, worker]) {
      await eventually(
        async () => ((await running(node)) === 'polylogue_running_turns 0' ? true : undefined),
        'no turn is counted',
      )
    }
    await Promise.all([web.stop(), worker.stop()])
  })

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
