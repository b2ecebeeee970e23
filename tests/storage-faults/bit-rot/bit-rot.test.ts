import { describe, expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { rotDatabase } from './rot-database.ts'
import { SMALL_FILES, rotInstallation } from './rot-installation.ts'
import { isSameContent } from './stored-content.ts'

const { seed, databases, ofEachSmallFile } = COUNTS.bitRot.test

describe('a flipped bit or a cut file', () => {
  it.each(databases)('in $file of a store that was $left is reported, never skipped', async (database) => {
    const { bad, refused } = await rotDatabase({ ...database, seed })
    expect(bad).toEqual([])
    expect(refused).toBeGreaterThan(0)
  })

  it('would often go unnoticed without our own checks', async () => {
    const database = await rotDatabase({ left: 'closed', file: 'polylogue.db', seed, count: 100 })
    expect(database.unnoticedBySqlite).toBeGreaterThan(5)
    const log = await rotDatabase({ left: 'killed', file: 'polylogue.db-wal', seed, count: 10 })
    expect(log.unnoticedBySqlite).toBe(10)
  })

  it.each(SMALL_FILES)('in %s stops the server or costs nothing', async (file) => {
    expect(await rotInstallation(file, seed, ofEachSmallFile)).toEqual([])
  })
})

it('content is compared as a whole', () => {
  const good = { exact: { sessions: ['a'] }, optional: ['state', 'picture'] }
  expect(isSameContent({ ...good, optional: [undefined, 'picture'] }, good)).toBe(true)
  expect(isSameContent({ ...good, optional: ['state', 'another'] }, good)).toBe(false)
  expect(isSameContent({ ...good, exact: { sessions: [] } }, good)).toBe(false)
})
