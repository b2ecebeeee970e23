import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asSessionId, asTurnId, asUserId } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { MIGRATIONS } from './migrate.ts'
import { inspectDatabase } from './inspect-database.ts'
import { openSqliteStores, type SqliteStores } from './open-sqlite-stores.ts'

const clock = createFakeClock()
const userId = asUserId('ada')
const sessionId = asSessionId('session-1')
let directory: string
let file: string
let stores: SqliteStores
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
  it('sees everything while the owner goes on writing, as it was when it began', async () => {
    const inspection = inspectDatabase(file, 10)
    await stores.events.deleteSession(sessionId)
    expect(inspection.schemaVersion).toBe(MIGRATIONS.length)
    expect(inspection.integrity()).toEqual([])
    expect([...inspection.sessions()]).toEqual([{ sessionId, lastSeq: 1 }])
    expect([...inspection.events(sessionId)]).toEqual([
      { seq: 1, at: 7, type: 'turn.paused', version: 1, data: '{"type":"turn.paused","turnId":"turn_1"}' },
    ])
    expect(inspection.snapshot(sessionId)).toEqual({ seq: 1, state: '{}' })
    expect([...inspection.blobs(sessionId)]).toEqual([{ hash: 'h', bytes: Uint8Array.of(1) }])
    expect([...inspection.secrets()]).toEqual([{ sessionId, name: 'apiKey', sealed: Uint8Array.of(2) }])
    expect(inspection.orphans()).toEqual([])
    expect(inspection.keys()).toEqual([{ hash: 'in force', kind: 'api', userId }])
    inspection.close()
  })

  it('finds events that lost their session, and not those of a deleted one', async () => {
    await stores.close()
    const db = new DatabaseSync(file)
    db.exec("DELETE FROM sessions; INSERT INTO events VALUES ('gone', 1, 1, 't', 1, '{}', 0)")
    db.exec("INSERT INTO deleted_sessions VALUES ('gone', 0)")
    db.close()
    const inspection = inspectDatabase(file, 10)
    expect(inspection.orphans()).toEqual([sessionId])
    inspection.close()
  })

  it('finds an event that was changed and can still be read', async () => {
    await stores.close()
    const db = new DatabaseSync(file)
    db.exec("UPDATE events SET data = replace(data, 'turn_1', 'turn_2')")
    db.close()
    const inspection = inspectDatabase(file, 10)
    expect(() => [...inspection.events(sessionId)]).toThrow('the checksum of event 1 is wrong')
    inspection.close()
  })

  it('finds damage', async () => {
    await stores.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4096 * 5, 4096 * 6)
    writeFileSync(file, bytes)
    const inspection = inspectDatabase(file, 10)
    expect(inspection.integrity().length).toBeGreaterThan(0)
    inspection.close()
  })

  it('of a file of another program is refused, and changes nothing', () => {
    const other = join(directory, 'other.db')
    writeFileSync(other, '')
    expect(() => inspectDatabase(other, 10)).toThrow('is not a Polylogue database')
    writeFileSync(other, 'nonsense'.repeat(1000))
    expect(() => inspectDatabase(other, 10)).toThrow('file is not a database')
    expect(readFileSync(other, 'utf8')).toBe('nonsense'.repeat(1000))
    expect(() => inspectDatabase(join(directory, 'absent.db'), 10)).toThrow('unable to open database file')
  })
})
