// Many schedules come due while three nodes look at them, and two of these are killed again and again.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asUserId, type Schedule } from '@polylogue/engine'
import { openPostgresStores } from '@polylogue/store-postgres'
import { vi } from 'vitest'
import { createTaskClient } from '../../schedules/task-client.ts'
import { createTestDatabase, query } from '../../support/test-database.ts'
import { prepareNodes } from './nodes.ts'

export interface FirePlan {
  readonly schedules: number
  /** They come due one after the other in this time. */
  readonly overMs: number
  readonly kills: number
}

export interface Fired {
  /** From the slot to its stored outcome. */
  readonly p99Ms: number
  /** In which seconds slots were decided too late, and how many. */
  readonly late: string
  readonly complaints: readonly string[]
}

export const LATE_MS = 1_000
const PER_USER = 50
/** All schedules are stored and all nodes are there by then. */
const dueInMs = (schedules: number): number => 30_000 + schedules * 4
/** No more than a pool has connections. */
const ADDED_AT_ONCE = 8

export async function fireSchedules({ schedules, overMs, kills }: FirePlan): Promise<Fired> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url)
  try {
    const config = join(nodes.folder, 'schedules.json')
    await writeFile(config, JSON.stringify({ defaultAgent: 'scripted' }))
    const flags = ['--config', config]
    const first = await nodes.start('a', { flags })
    await createTaskClient(first).task()
    const dueAt = performance.now() + dueInMs(schedules)
    await copySchedules(database.url, { schedules, overMs })
    const victims = [await nodes.start('b', { flags }), await nodes.start('c', { flags })]
    await delay(Math.max(0, dueAt - performance.now()))
    for (let kill = 0; kill < kills; kill++) {
      await delay(overMs / (kills + 1))
      await victims[kill % 2]?.kill()
      victims[kill % 2] = await nodes.start(kill % 2 === 0 ? 'b' : 'c', { flags })
    }
    const complaints: string[] = []
    const count = async (where: string): Promise<number> =>
      Number((await query(database.url, `SELECT count(*) AS n FROM polylogue.schedule_slots ${where}`))[0]?.['n'])
    await vi
      .waitFor(
        async () => {
          const open = schedules - (await count(`WHERE status = 'completed'`))
          if (open > 0) throw new Error(`${open} runs have not ended`)
        },
        { timeout: overMs + 300_000, interval: 500 },
      )
      .catch((error: unknown) => complaints.push(String(error)))
    const all = await count('')
    if (all !== schedules) complaints.push(`${all} outcomes for ${schedules} slots`)
    const runs = `SELECT s.session_id FROM polylogue.sessions AS s LEFT JOIN polylogue.events AS e
      ON e.session_id = s.session_id AND e.type = 'turn.started' GROUP BY s.session_id HAVING count(e.seq) <> 1`
    const odd = await query(database.url, runs)
    if (odd.length > 0) complaints.push(`${odd.length} sessions have no turn or several`)
    const [row] = await query(
      database.url,
      'SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY decided_at - slot_at) AS late FROM polylogue.schedule_slots',
    )
    const seconds = await query(
      database.url,
      `SELECT (slot_at - min(slot_at) OVER ()) / 1000 AS second, decided_at - slot_at > ${LATE_MS} AS late FROM polylogue.schedule_slots`,
    )
    const late = Map.groupBy(
      seconds.filter((slot) => slot['late'] === true).map((slot) => Math.floor(Number(slot['second']))),
      (second) => second,
    )
    return {
      p99Ms: Number(row?.['late']),
      late: [...late].map(([second, all]) => `${second} s: ${all.length}`).join(', '),
      complaints,
    }
  } finally {
    await nodes.remove()
    await database.drop()
  }
}

/** Copies of the one schedule that there is, of many users. */
async function copySchedules(url: string, plan: Pick<FirePlan, 'schedules' | 'overMs'>): Promise<void> {
  const clock = { now: () => Date.now(), setTimer: () => ({ cancel: () => undefined }) }
  const { schedules, users, close } = await openPostgresStores({ url, clock })
  const [made] = await schedules.listSchedules(asUserId('local'))
  if (made === undefined) throw new Error('there is no schedule')
  const startAt = Date.now() + dueInMs(plan.schedules)
  const copies = Array.from({ length: plan.schedules }, (_, index): Schedule => ({
    ...made,
    userId: asUserId(`user-${Math.floor(index / PER_USER)}`),
    scheduleId: `task_copy${String(index).padStart(6, '0')}`,
    nextSlotAt: startAt + Math.floor((index * plan.overMs) / plan.schedules),
  }))
  for (const userId of new Set(copies.map((copy) => copy.userId)))
    await users.addUser({ userId, role: 'user', createdAt: Date.now() })
  for (let done = 0; done < copies.length; done += ADDED_AT_ONCE) {
    const added = await Promise.all(
      copies.slice(done, done + ADDED_AT_ONCE).map((schedule) => schedules.addSchedule(schedule)),
    )
    const refused = added.find((answer) => answer !== 'added')
    if (refused !== undefined) throw new Error(`a schedule is ${refused}`)
  }
  await close()
}
