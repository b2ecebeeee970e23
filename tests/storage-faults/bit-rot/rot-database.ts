import type { Stores } from '@polylogue/engine'
import { openSqliteStores } from '@polylogue/store-sqlite'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { runProgram } from '../run-program.ts'
import { createSeededRandom } from '../seeded-random.ts'
import { systemClock } from '../system-clock.ts'
import type { Played } from '../workload/check-stored.ts'
import { damageFile } from './damage-file.ts'
import { type StoredContent, isSameContent, readContent } from './stored-content.ts'

const PLAYED: Played = { sessions: 6, turns: 4, size: 100 }
const NAME = 'polylogue.db'

/** `closed`: the store was closed, so one file has all data. `killed`: most data is still in the write-ahead log. */
export type LeftBehind = 'closed' | 'killed'

export interface Rot {
  readonly left: LeftBehind
  readonly file: 'polylogue.db' | 'polylogue.db-wal'
  readonly seed: string
  readonly count: number
}

export interface RotOutcome {
  /** Damage to unused bytes. */
  readonly unchanged: number
  readonly refused: number
  /** Damaged data that was read as valid, with the kind of damage, and refusals without a useful message. */
  readonly bad: readonly string[]
  /** Cases in which SQLite alone read the log without an error but returned other data or none. */
  readonly unnoticedBySqlite: number
}

/** Damages a fresh copy of a file many times and lets a store read all of it. */
export async function rotDatabase({ left, file, seed, count }: Rot): Promise<RotOutcome> {
  const stage = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'polylogue-rot-'))
  try {
    const original = join(stage, 'original')
    await mkdir(original)
    await makeDatabase(join(original, NAME), left)
    const copy = join(stage, 'copy')
    await cp(original, copy, { recursive: true })
    const good = await readAll(join(copy, NAME))
    let unchanged = 0
    let refused = 0
    const bad: string[] = []
    let unnoticedBySqlite = 0
    const goodLog = readWithSqlite(join(copy, NAME))
    for (let index = 0; index < count; index++) {
      await rm(copy, { recursive: true })
      await cp(original, copy, { recursive: true })
      const damage = damageFile(join(copy, file), createSeededRandom(`${seed}/${index}`))
      try {
        const found = await readAll(join(copy, NAME))
        if (isSameContent(found, good)) unchanged += 1
        else bad.push(`${index}: ${file}, ${damage}, was read without an error`)
      } catch (error) {
        refused += 1
        const sentence = error instanceof Error ? error.message : String(error)
        if (!HELPFUL.test(sentence)) bad.push(`${index}: ${file}, ${damage}, was refused with: ${sentence}`)
        const log = readWithSqlite(join(copy, NAME))
        if (log !== undefined && !isDeepStrictEqual(log, goodLog)) unnoticedBySqlite += 1
      }
    }
    return { unchanged, refused, bad, unnoticedBySqlite }
  } finally {
    await rm(stage, { recursive: true })
  }
}

const HELPFUL = /restore a backup|written by a newer Polylogue .* run that one/

async function makeDatabase(file: string, left: LeftBehind): Promise<void> {
  const { sessions, turns, size } = PLAYED
  const program = runProgram('play-and-wait', [file, ...[sessions, turns, size].map(String)])
  const line = await program.nextLine()
  if (line !== 'ready') throw new Error(`the database was not made: ${program.complaints}`)
  if (left === 'closed') await program.finish()
  else await program.kill()
}

async function readAll(file: string): Promise<StoredContent> {
  const stores: Stores = await openSqliteStores({ file, clock: systemClock })
  try {
    return await readContent(stores, PLAYED)
  } finally {
    await stores.close()
  }
}

/** The events as a program without our checks reads them. `undefined` when SQLite reports the damage. */
function readWithSqlite(file: string): readonly unknown[] | undefined {
  const db = new DatabaseSync(file)
  try {
    const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined
    return hasTable ? db.prepare('SELECT session_id, seq, data FROM events').all() : []
  } catch {
    return undefined
  } finally {
    db.close()
  }
}
