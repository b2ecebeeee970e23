import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asSessionId, asTurnId, asUserId, type Stores } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { MIGRATIONS } from './migrate.ts'
import { inspectDatabase } from './inspect-database.ts'
import { openSqliteStores } from './open-sqlite-stores.ts'

const clock = createFakeClock()
const userId = asUserId('ada')
const sessionId = asSessionId('session-1')
let directory: string
let file: string
let stores: Stores
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-inspect-'))
  file = join(directory, 'polylogue.db')
  stores = await openSqliteStores({ file, clock })
  await stores.events.append({
    sessionId,
    expectedSeq: 0,
    create: { userId },
    at: 7,
    events: [{ type: 'turn.paused', turnId: asTurnId('turn_1') }],
    wanted: false,
    snapshot: '{}',
    blobs: [{ hash: 'h', mediaType: 'image/png', bytes: Uint8Array.of(1) }],
    secrets: [{ name: 'apiKey', sealed: Uint8Array.of(2) }],
  })
  const key = { kind: 'api', name: '', prefix: '', lastFour: '', createdAt: 0 } as const
  await stores.keys.createKey({ ...key, id: 'key_1', userId, hash: 'in force' })
  await stores.keys.createKey({ ...key, id: 'key_2', userId, hash: 'expired', expiresAt: 5 })
})
afterEach(async () => {
  await stores.close()
  rmSync(directory, { recursive: true })
})

describe('an inspection', () => {
  it('sees a consistent snapshot while the owner keeps writing', async () => {
    const inspection = await inspectDatabase(file, 10)
    await stores.events.deleteSession(sessionId)
    expect(inspection.schemaVersion).toBe(MIGRATIONS.length)
    expect(await inspection.integrity()).toEqual([])
    expect(await Array.fromAsync(inspection.sessions())).toEqual([{ sessionId, lastSeq: 1 }])
    expect(await Array.fromAsync(inspection.events(sessionId))).toEqual([
      { seq: 1, at: 7, type: 'turn.paused', version: 1, data: '{"type":"turn.paused","turnId":"turn_1"}' },
    ])
    expect(await inspection.snapshot(sessionId)).toEqual({ seq: 1, state: '{}' })
    expect(await Array.fromAsync(inspection.blobs(sessionId))).toEqual([{ hash: 'h', bytes: Uint8Array.of(1) }])
    expect(await Array.fromAsync(inspection.secrets())).toEqual([
      { sessionId, name: 'apiKey', sealed: Uint8Array.of(2) },
    ])
    expect(await inspection.orphans()).toEqual([])
    expect(await inspection.keys()).toEqual([{ hash: 'in force', kind: 'api', userId }])
    await inspection.close()
  })

  it('finds events that lost their session, and not those of a deleted one', async () => {
    await stores.close()
    const db = new DatabaseSync(file)
    db.exec("DELETE FROM sessions; INSERT INTO events VALUES ('gone', 1, 1, 't', 1, '{}', 0)")
    db.exec("INSERT INTO deleted_sessions VALUES ('gone', 0)")
    db.close()
    const inspection = await inspectDatabase(file, 10)
    expect(await inspection.orphans()).toEqual([sessionId])
    await inspection.close()
  })

  it('finds an event that was changed and can still be read', async () => {
    await stores.close()
    const db = new DatabaseSync(file)
    db.exec("UPDATE events SET data = replace(data, 'turn_1', 'turn_2')")
    db.close()
    const inspection = await inspectDatabase(file, 10)
    await expect(Array.fromAsync(inspection.events(sessionId))).rejects.toThrow('the checksum of event 1 is wrong')
    await inspection.close()
  })

  it.each([
    [
      'a trigger',
      'CREATE TRIGGER spy AFTER INSERT ON events BEGIN DELETE FROM keys; END',
      'the trigger "spy" is not ours',
    ],
    ['a view', 'CREATE VIEW spy AS SELECT * FROM keys', 'the view "spy" is not ours'],
    [
      'a computed column',
      "ALTER TABLE keys ADD COLUMN spy TEXT AS (hash || 'x')",
      'the column keys.spy is computed, which is not ours',
    ],
  ])('finds %s that another program added', async (_, statement, problem) => {
    await stores.close()
    const db = new DatabaseSync(file)
    db.exec(statement)
    db.close()
    const inspection = await inspectDatabase(file, 10)
    expect(await inspection.integrity()).toEqual([problem])
    await inspection.close()
  })

  it('opens no database that has a trigger', async () => {
    await stores.close()
    const db = new DatabaseSync(file)
    db.exec('CREATE TRIGGER spy AFTER INSERT ON events BEGIN DELETE FROM keys; END')
    db.close()
    await expect(openSqliteStores({ file, clock })).rejects.toThrow('the trigger "spy" is not ours')
  })

  it('finds damage', async () => {
    await stores.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4096 * 5, 4096 * 6)
    writeFileSync(file, bytes)
    const inspection = await inspectDatabase(file, 10)
    expect((await inspection.integrity()).length).toBeGreaterThan(0)
    await inspection.close()
  })

  it('refuses a file that is not one of ours, and changes nothing', async () => {
    const other = join(directory, 'other.db')
    const refusal = { kind: 'broken', message: `${other} is not a Polylogue database, or its first page is damaged.` }
    writeFileSync(other, '')
    await expect(inspectDatabase(other, 10)).rejects.toMatchObject(refusal)
    writeFileSync(other, 'nonsense'.repeat(1000))
    await expect(inspectDatabase(other, 10)).rejects.toMatchObject(refusal)
    expect(readFileSync(other, 'utf8')).toBe('nonsense'.repeat(1000))
    await expect(inspectDatabase(join(directory, 'absent.db'), 10)).rejects.toThrow('unable to open database file')
  })
})
