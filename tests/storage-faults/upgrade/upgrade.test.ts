import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { V3 } from '../../support/aap-dialect.ts'
import { attachSession } from '../../support/aap-session.ts'
import { textOf } from '../../support/played-turn.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { type TempDir, createTempDir } from '../../support/temp-dir.ts'
import { checkDatabase } from '../disk-full/check-database.ts'
import { COUNTS } from '../counts.ts'
import { injectionsOf } from '../io-error/injections.ts'
import { runProgram } from '../run-program.ts'
import { sideBySide } from '../side-by-side.ts'
import {
  readGoldenLogs,
  readHistories,
  readMemories,
  readRules,
  readStates,
  recallIds,
  restoreGoldenLog,
  searchSessions,
} from './golden-log.ts'
import { killMigration } from './kill-migration.ts'

const LOGS = readGoldenLogs().toSorted((one, other) => one.schemaVersion - other.schemaVersion)
const NEWEST = Math.max(...LOGS.map(({ schemaVersion }) => schemaVersion))

let temp: TempDir
let dataDir: string
let file: string
beforeEach(async () => {
  temp = await createTempDir()
  dataDir = join(temp.path, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  file = join(dataDir, 'polylogue.db')
})
afterEach(() => temp.remove())

const versionOf = (path: string): unknown => {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db.prepare('PRAGMA user_version').get()?.['user_version']
  } finally {
    db.close()
  }
}

describe('the golden logs', () => {
  it('include one of the schema that a new database gets', async () => {
    expect(await runProgram('die-while-migrating', [file, '0']).remainingLines()).toEqual(['opened'])
    expect(versionOf(file)).toBe(NEWEST)
  })

  it.each(LOGS)('$name folds to the states that it folded to when it was written', async (log) => {
    restoreGoldenLog(log, file)
    expect(await readStates(file)).toEqual(log.states)
    expect(await checkDatabase(dataDir)).toEqual([])
    expect(versionOf(file)).toBe(NEWEST)
  })

  it.each(LOGS)('$name looks the same to clients as before, and can be continued', async (log) => {
    restoreGoldenLog(log, file)
    const server = await startServerProcess({ dataDir })
    try {
      const client = server.client(V3)
      const ids = Object.keys(log.histories)
      expect((await client.list()).body.sessions.length).toBe(ids.length)
      expect(await readHistories(client, ids)).toEqual(log.histories)
      const session = attachSession(client, ids[0] ?? '')
      expect(textOf((await session.turn('say and on')).messages)).toBe('and on')
    } finally {
      await server.stop()
    }
  })

  it.each(LOGS)('$name is searched by its messages', async (log) => {
    restoreGoldenLog(log, file)
    const said = Object.entries(log.histories).filter(([, history]) => JSON.stringify(history).includes('hello there'))
    expect(said.length).toBeGreaterThan(0)
    expect(new Set(await searchSessions(file, 'Hello There'))).toEqual(new Set(said.map(([sessionId]) => sessionId)))
  })

  it.each(LOGS)('$name has the permission rules that it had', async ({ rules = [], ...log }) => {
    restoreGoldenLog(log, file)
    expect(await readRules(file)).toEqual(rules)
  })

  it.each(LOGS)('$name has the memories that it had, and finds them', async ({ memories = [], ...log }) => {
    restoreGoldenLog(log, file)
    expect(await readMemories(file)).toEqual(memories)
    const active = memories.filter(({ isDisabled, supersededBy }) => !isDisabled && supersededBy === undefined)
    for (const { content, memoryId } of active) expect(await recallIds(file, content)).toEqual([memoryId])
  })

  it.each([LOGS.slice(0, 1), LOGS.slice(-1)].flat())(
    '$name is refused by an older Polylogue with a clear message, and is not changed',
    async (log) => {
      restoreGoldenLog({ sql: `${log.sql}; PRAGMA user_version = ${NEWEST + 1};` }, file)
      const before = readFileSync(file)
      await expect(startServerProcess({ dataDir })).rejects.toThrow(
        `was written by a newer Polylogue (schema ${NEWEST + 1}, this one knows ${NEWEST}): run that one.`,
      )
      expect(readFileSync(file)).toEqual(before)
    },
  )

  it('fold to something else when an event is another one', async () => {
    const [log] = LOGS
    if (log === undefined) throw new Error('there is no golden log')
    restoreGoldenLog({ sql: log.sql.replace('"outcome":"finished"', '"outcome":"refused!"') }, file)
    await expect(readStates(file)).rejects.toThrow('its checksum is wrong')
  })
})

describe('a kill in a migration', () => {
  const versions = Array.from({ length: NEWEST }, (_, index) => index + 1)
  const newestBefore = (version: number) => LOGS.filter(({ schemaVersion }) => schemaVersion < version).at(-1)
  /** Each migration from a new database and from the newest log that lacks it. The proof has every pair. */
  const kills = versions.flatMap((version) => [
    { version, log: undefined, name: 'a new database', from: 0 },
    ...[newestBefore(version) ?? []].flat().map((log) => ({ version, log, name: log.name, from: log.schemaVersion })),
  ])

  it.each(kills)('to schema $version of $name leaves what was there, and the next start continues', async (kill) => {
    const { version, log, from } = kill
    if (log !== undefined) restoreGoldenLog(log, file)
    expect(await runProgram('die-while-migrating', [file, String(version - from)]).remainingLines()).toEqual([])
    // A new database gets all migrations in one transaction.
    expect(versionOf(file)).toBe(log === undefined ? 0 : version - 1)
    expect(await readStates(file)).toEqual(log?.states ?? {})
    expect(versionOf(file)).toBe(NEWEST)
  })

  it('is repaired by the next server', async () => {
    expect(await runProgram('die-while-migrating', [file, '2']).remainingLines()).toEqual([])
    const server = await startServerProcess({ dataDir })
    await server.stop()
    expect(versionOf(file)).toBe(NEWEST)
  })

  it('leaves nothing half-made, wherever it comes', async () => {
    const { width, test } = COUNTS.upgrade
    const outcomes = await sideBySide(injectionsOf(test), width, (injection) => killMigration(injection))
    expect(outcomes).toEqual(outcomes.map(() => ({ wasKilled: true, problems: [] })))
  })
})
