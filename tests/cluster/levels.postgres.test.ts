import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { call, script, NEXT } from '../support/script.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession, openSession } from '../support/aap-session.ts'
import { askOwner } from '../support/owner-socket.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, query } from '../support/test-database.ts'
import { attachToolSession } from '../tools/tool-session.ts'
import { LATER, mixVersions } from './faults/mix-versions.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from './support/nodes.ts'

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

const startNewer = (name: string): Promise<ServerProcess> => nodes.start(name, { environment: LATER })

const levelOf = async (sessionId: string): Promise<unknown> =>
  (await query(database.url, 'SELECT level FROM polylogue.sessions WHERE session_id = $1', [sessionId]))[0]?.['level']

async function ownerOf(sessionId: string): Promise<string> {
  const rows = await query(database.url, 'SELECT owner FROM polylogue.sessions WHERE session_id = $1', [sessionId])
  return String(rows[0]?.['owner'])
}

const nodeOf = async ({ pid }: ServerProcess): Promise<Record<string, unknown>> => {
  const rows = await query(database.url, 'SELECT node_id, level FROM polylogue.nodes WHERE pid = $1', [pid])
  return rows[0] ?? {}
}

describe('nodes of two versions on one database', { timeout: 120_000 }, () => {
  it('cluster 46, 66: new events wait until every live node can read them, and an older node never claims a session with them', async () => {
    const [newer, older] = await Promise.all([startNewer('newer'), nodes.start('older')])
    expect([(await nodeOf(newer))['level'], (await nodeOf(older))['level']]).toEqual([2, 1])
    const { body: known } = await askOwner(older.dataDir, { method: 'GET', path: '/api/polylogue/nodes' })
    const version = expect.stringMatching(/^\d+\.\d+\.\d+/)
    const told = [newer, older].map(({ pid }, index) => expect.objectContaining({ pid, version, level: 2 - index }))
    expect(known).toMatchObject({ nodes: expect.arrayContaining(told) })
    const session = await openSession(newer.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
    const settings = attachToolSession(newer, session.id)

    // Both run what both can read; the new event is refused and nothing of it is stored.
    await expect(settings.change({ preset: 'read-only' })).rejects.toThrow(
      /503.*a node of an older version is still running and cannot read this; try again when all nodes are updated/,
    )
    await attachSession(older.client(V3), session.id).turn('say hello')
    expect((await settings.events()).some(({ event }) => event.type === 'session.configured')).toBe(false)
    expect(await levelOf(session.id)).toBe(1)

    await older.stop()
    await settings.change({ preset: 'read-only' })
    await settings.change({ preset: 'workspace-write' })
    expect(await levelOf(session.id)).toBe(2)

    // A turn that the older node admits runs on the newer one.
    const again = await nodes.start('older')
    const [first, second] = [nodes.counting.nextRun(), nodes.counting.nextRun()]
    await attachSession(again.client(V3), session.id).turn(
      script(call('c1', 'count', { run: first }), NEXT, 'say done'),
    )
    expect(await nodes.counting.timesRun(first)).toBe(1)
    const stream = await attachSession(again.client(V3), session.id).stream(
      'delta',
      script(call('c2', 'linger', { run: second })),
    )
    void stream.finished().catch(() => undefined)
    await nodes.untilRun(second)
    expect(await ownerOf(session.id)).toBe((await nodeOf(newer))['node_id'])

    // The newer node is dead, and its lease has ended: the older one may not claim, another newer one continues.
    await newer.kill()
    await eventually(async () => {
      const [row] = await query(database.url, 'SELECT polylogue.is_alive(owner) AS lives FROM polylogue.sessions')
      return row?.['lives'] === false ? true : undefined
    }, 'the lease ends')
    const { node_id: olderId } = await nodeOf(again)
    const [claim] = await query(database.url, 'SELECT polylogue.claim_session($1, $2, 5000) AS epoch', [
      session.id,
      olderId,
    ])
    expect(claim).toEqual({ epoch: null })
    const next = await startNewer('next')
    await eventually(async () => {
      const events = await attachToolSession(next, session.id).events()
      return events.filter(({ event }) => event.type === 'turn.ended').length === 3 ? true : undefined
    }, 'the newer node ends the turn')
    expect(await nodes.counting.timesRun(second)).toBe(1)
  })

  it('cluster 46: three updates in a row lose nothing, and the older node never gets what it cannot read', async () => {
    expect(await mixVersions({ rounds: 3 })).toEqual([])
  })
})
