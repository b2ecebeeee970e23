import { asUserId } from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTaskClient } from '../schedules/task-client.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { createTestDatabase, query } from '../support/test-database.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

const SCHEDULES = 12
/** All nodes are there by then. A slot that is a minute late would be skipped. */
const DUE_IN_MS = 8_000

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

/** Lets the minute of all schedules come. */
async function makeAllDue(): Promise<void> {
  const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
  const { schedules, close } = await openPostgresStores({ url: database.url, clock })
  const nextSlotAt = Date.now() + DUE_IN_MS
  for (const schedule of await schedules.listSchedules(asUserId('local'))) {
    expect(await schedules.replaceSchedule({ ...schedule, nextSlotAt, revision: schedule.revision + 1 })).toBe(true)
  }
  await close()
}

describe('schedules on three nodes', { timeout: 180_000 }, () => {
  it('cluster 33: each slot has one outcome and one run, also if a node dies while it starts runs', async () => {
    const config = join(nodes.folder, 'schedules.json')
    await writeFile(config, JSON.stringify({ defaultAgent: 'scripted' }))
    const flags = ['--config', config]
    const first = await nodes.start('a', { flags })
    const tasks = createTaskClient(first)
    for (let index = 0; index < SCHEDULES; index++) await tasks.task({ title: `Task ${index}` })
    await first.stop()
    await makeAllDue()
    const environment = { POLYLOGUE_FAILPOINTS: 'create.after-append=kill@3' }
    await Promise.all([
      nodes.start('a', { flags }),
      // They may be dead before they are ready.
      nodes.start('b', { flags, environment }).catch(() => undefined),
      nodes.start('c', { flags, environment }).catch(() => undefined),
    ])
    const slots = 'SELECT schedule_id, outcome, status FROM polylogue.schedule_slots'
    const ended = await vi.waitFor(
      async () => {
        const found = await query(database.url, slots)
        expect(found.filter(({ status }) => status === 'completed')).toHaveLength(SCHEDULES)
        return found
      },
      { timeout: 150_000, interval: 250 },
    )
    expect(ended).toHaveLength(SCHEDULES)
    expect(new Set(ended.map(({ schedule_id }) => schedule_id)).size).toBe(SCHEDULES)
    expect(ended.map(({ outcome }) => outcome)).toEqual(ended.map(() => 'fired'))
    const turns = `SELECT s.session_id, count(e.seq)::int AS turns FROM polylogue.sessions AS s
      LEFT JOIN polylogue.events AS e ON e.session_id = s.session_id AND e.type = 'turn.started' GROUP BY s.session_id`
    const ran = await query(database.url, turns)
    expect(ran.map(({ turns: count }) => count)).toEqual(ended.map(() => 1))
  })
})
