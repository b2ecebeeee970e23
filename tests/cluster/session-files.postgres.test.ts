import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

const CONFIG = fileURLToPath(new URL('support/placed.config.ts', import.meta.url))
const READ = [{ name: 'Read', trust: true }]

let database: ServerDatabase
let nodes: Nodes
let having: ServerProcess
let lacking: ServerProcess
let missing: string

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url, CONFIG)
  const place = join(nodes.folder, 'place')
  missing = join(nodes.folder, 'not-mounted')
  await mkdir(place)
  await writeFile(join(place, 'a.txt'), 'it is here')
  ;[having, lacking] = await Promise.all([
    nodes.start('having', { environment: { POLYLOGUE_TEST_PLACE: place } }),
    nodes.start('lacking', { environment: { POLYLOGUE_TEST_PLACE: missing } }),
  ])
}, 90_000)
afterAll(async () => {
  await nodes.remove()
  await database.drop()
})

describe('a node without the directory of a session', { timeout: 90_000 }, () => {
  it('cluster 63: leaves its turns to a node that has it, and streams them', async () => {
    const session = await openSession(lacking.client(V3), { agent: 'placed', tools: READ })
    for (const id of ['r1', 'r2']) {
      const turn = await session.play('delta', script(call(id, 'Read', { path: 'a.txt' }), NEXT, `say done ${id}`))
      expect(turn.stopReason).toBe('end_turn')
    }
    expect(JSON.stringify(await session.history())).toContain('it is here')
  })

  it('cluster 63: refuses them with a sentence when no other node runs turns', async () => {
    const session = await openSession(lacking.client(V3), { agent: 'placed', tools: READ })
    await having.stop()
    const answer = await session.turn('say never')
    expect(answer.stopReason).toBe('error')
    expect(JSON.stringify(answer)).toContain(`No node that runs turns has the directory ${missing} of this session.`)
  })
})
