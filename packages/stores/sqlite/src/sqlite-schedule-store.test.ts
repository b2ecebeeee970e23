import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asSessionId, asUserId, type Schedule, type Stores } from '@polylogue/engine'
import { createFakeClock, scheduleStoreContract } from '@polylogue/testkit'
import { inspectDatabase } from './inspect-database.ts'
import { openSqliteStores } from './open-sqlite-stores.ts'

const ADA = asUserId('ada')
const clock = createFakeClock()
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-schedules-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const fileOf = (): string => join(directory, 'polylogue.db')
const open = (): Promise<Stores> => openSqliteStores({ file: fileOf(), clock })

scheduleStoreContract('the SQLite schedule store', async () => {
  let stores = await open()
  return {
    store: stores.schedules,
    reopen: async () => {
      await stores.close()
      stores = await open()
      return stores.schedules
    },
    close: () => stores.close(),
  }
})

const SCHEDULE: Schedule = {
  scheduleId: 'task_1',
  userId: ADA,
  title: 'News',
  prompt: 'never deploy',
  cron: '0 9 * * *',
  timezone: 'UTC',
  isEnabled: true,
  isUnattended: false,
  createdAt: 1,
  decidedUntil: 1,
  nextSlotAt: 2,
  zoneRules: '2026a',
  revision: 1,
}

const damagedIn = async (file: string): Promise<readonly string[]> => {
  const inspection = await inspectDatabase(file, 0)
  const damaged = await inspection.damagedSchedules()
  await inspection.close()
  return damaged
}

const change = (sql: string): void => {
  const db = new DatabaseSync(fileOf())
  db.exec(sql)
  db.close()
}

describe('a stored schedule', () => {
  it.each([
    ["prompt = replace(prompt, 'never', 'always')"],
    ['is_unattended = 1'],
    ['next_slot_at = 1'],
    ["user_id = 'grace'"],
    ["title = '', crc = 0"],
  ])('that was changed by accident is never taken for the schedule: %s', async (changes) => {
    const stores = await open()
    await stores.schedules.addSchedule(SCHEDULE)
    await stores.close()
    change(`UPDATE schedules SET ${changes}`)
    expect(await damagedIn(fileOf())).toEqual(['task_1'])
    const again = await open()
    const damage = { name: 'StorageFault', message: expect.stringContaining('The schedule task_1 is damaged.') }
    await expect(again.schedules.readSchedule('task_1')).rejects.toMatchObject(damage)
    await again.close()
  })

  it.each([["session_id = 'other'"], ["status = 'completed'"], ["status = 'unheard of'"], ['slot_at = 3']])(
    'has no run but the one that was stored: %s',
    async (changes) => {
      const stores = await open()
      await stores.schedules.addSchedule(SCHEDULE)
      await stores.schedules.settleSlots({ ...SCHEDULE, revision: 2 }, [
        {
          scheduleId: 'task_1',
          slotAt: 2,
          decidedAt: 2,
          outcome: 'fired',
          run: { runId: 'run_1', sessionId: asSessionId('session') },
        },
      ])
      await stores.close()
      expect(await damagedIn(fileOf())).toEqual([])
      change(`UPDATE schedule_slots SET ${changes}`)
      expect(await damagedIn(fileOf())).toEqual(['task_1'])
      const again = await open()
      await expect(again.schedules.listRuns(ADA, 'task_1')).rejects.toMatchObject({
        message: expect.stringContaining('of the schedule task_1 is damaged.'),
      })
      await again.close()
    },
  )
})
