import { expect, it } from 'vitest'
import { COUNTS } from '../counts.ts'
import { startStopwatch, tellProof } from '../proof-result.ts'
import { rotDatabase } from './rot-database.ts'
import { SMALL_FILES, rotInstallation } from './rot-installation.ts'

const { seed, databases, ofEachSmallFile } = COUNTS.bitRot.proof

it('bit rot is reported, never skipped', async () => {
  const seconds = startStopwatch()
  const bad: string[] = []
  let count = 0
  let unnoticed = 0
  for (const database of databases) {
    const outcome = await rotDatabase({ ...database, seed })
    bad.push(...outcome.bad)
    count += database.count
    unnoticed += outcome.unnoticedBySqlite
  }
  for (const file of SMALL_FILES) {
    bad.push(...(await rotInstallation(file, seed, ofEachSmallFile)))
    count += ofEachSmallFile
  }
  tellProof({
    id: 'F21',
    what: `a flipped bit or a cut in the database, its log, a key file or the configuration (SQLite alone missed ${unnoticed})`,
    count,
    failures: bad.length,
    seed,
    seconds: seconds(),
  })
  expect(bad).toEqual([])
}, 600_000)
