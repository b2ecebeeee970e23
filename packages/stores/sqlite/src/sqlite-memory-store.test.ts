import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asUserId, type Stores } from '@polylogue/engine'
import { createFakeClock, memoryStoreContract } from '@polylogue/testkit'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { inspectDatabase } from './inspect-database.ts'
import { openSqliteStores } from './open-sqlite-stores.ts'

const ADA = asUserId('ada')
const clock = createFakeClock()
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-memories-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const fileOf = (): string => join(directory, 'polylogue.db')
const open = (): Promise<Stores> => openSqliteStores({ file: fileOf(), clock })

memoryStoreContract('the SQLite memory store', async () => {
  let stores = await open()
  return {
    store: stores.memories,
    clock,
    reopen: async () => {
      await stores.close()
      stores = await open()
      return stores.memories
    },
    close: () => stores.close(),
  }
})

describe('a stored memory', () => {
  it.each([
    ["content = replace(content, 'never', 'always')"],
    ["type = 'experience'"],
    ["topic = ''"],
    ['hit_count = hit_count + 1'],
    ['superseded_by = 1'],
    ["content = '', crc = 0"],
    ["origin = 'tool'"],
    ['origin = NULL'],
    ["source_tool = 'WebFetch'"],
  ])('that was changed by accident is never taken for the memory: %s', async (change) => {
    const stores = await open()
    await stores.memories.addMemory(ADA, { type: 'feedback', content: 'never deploy' })
    await stores.close()
    const db = new DatabaseSync(fileOf())
    db.exec(`UPDATE memories SET ${change}`)
    db.close()
    const inspection = await inspectDatabase(fileOf(), 0)
    expect(await inspection.damagedMemories()).toEqual([1])
    await inspection.close()
    const again = await open()
    const damage = {
      name: 'StorageFault',
      kind: 'broken',
      message: expect.stringContaining('The memory 1 is damaged.'),
    }
    await expect(again.memories.listMemories(ADA, { limit: 10 })).rejects.toMatchObject(damage)
    await expect(again.memories.findMemory(ADA, 1)).rejects.toMatchObject(damage)
    expect(await again.memories.removeMemories(ADA, [1])).toBe(1)
    await again.close()
  })

  it('of a version that did not record origins is read, and has none', async () => {
    const db = openDatabase(fileOf())
    await migrate(db, { clock, busyWaitMs: 0, upTo: 11 })
    // The values of the row in the old column order, without its checksum.
    const values = [
      1,
      'ada',
      'feedback',
      'tea',
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      7,
      null,
      0,
      null,
      0,
      null,
      1,
    ]
    const crc = crc32(JSON.stringify(values))
    db.prepare(`INSERT INTO memories VALUES (${values.map(() => '?').join(', ')}, ?)`).run(...values, crc)
    db.close()
    const stores = await open()
    const old = { memoryId: 1, type: 'feedback', content: 'tea', createdAt: 7, hitCount: 0, isDisabled: false }
    expect(await stores.memories.findMemory(ADA, 1)).toEqual(old)
    await stores.memories.changeMemories(ADA, [1], { topic: 'drinks' })
    expect(await stores.memories.findMemory(ADA, 1)).toEqual({ ...old, topic: 'drinks', updatedAt: clock.now() })
    await stores.close()
  })

  it('leaves nothing in the index when it is removed', async () => {
    const stores = await open()
    await stores.memories.addMemory(ADA, { type: 'feedback', content: 'green tea' })
    await stores.memories.changeMemories(ADA, [1], { content: 'black tea' })
    await stores.memories.removeMemories(ADA, [1])
    await stores.close()
    const db = new DatabaseSync(fileOf())
    expect(db.prepare('SELECT count(*) AS count FROM memory_words').get()).toEqual({ count: 0 })
    expect(db.prepare("SELECT count(*) AS count FROM memory_words WHERE memory_words MATCH 'tea'").get()).toEqual({
      count: 0,
    })
    expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    db.close()
  })
})
