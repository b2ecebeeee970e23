import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asSessionId, asUserId, type Stores } from '@polylogue/engine'
import { createFakeClock } from '@polylogue/testkit'
import { openSqliteStores } from './open-sqlite-stores.ts'
import { sampleAppend } from './test-programs/sample-append.ts'

const AT = 1_000_000
let directory: string
let file: string
let stores: Stores
let appends = 0
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-keys-'))
  file = join(directory, 'polylogue.db')
  stores = await openSqliteStores({ file, clock: createFakeClock() })
  appends = 0
  await stores.keys.createKey({
    id: 'key_1',
    userId: asUserId('ada'),
    kind: 'api',
    name: 'laptop',
    hash: 'hash',
    prefix: 'sk-',
    lastFour: 'abcd',
    createdAt: AT,
  })
})
afterEach(async () => {
  await stores.close()
  rmSync(directory, { recursive: true })
})

const commitSomething = () => stores.events.append(sampleAppend(asSessionId('s'), appends++))

const writtenUse = (): unknown => {
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db.prepare("SELECT last_used_at FROM keys WHERE id = 'key_1'").get()
  db.close()
  return row?.['last_used_at']
}

describe('the last use of a key', () => {
  it('is known at once and written with the next commit', async () => {
    stores.keys.touchKey('key_1', AT)
    expect((await stores.keys.findKey('hash'))?.lastUsedAt).toBe(AT)
    expect(writtenUse()).toBeNull()
    await commitSomething()
    expect(writtenUse()).toBe(AT)
  })

  it('is written at most once a minute', async () => {
    stores.keys.touchKey('key_1', AT)
    await commitSomething()
    stores.keys.touchKey('key_1', AT + 59_999)
    await commitSomething()
    expect(writtenUse()).toBe(AT)
    expect((await stores.keys.findKey('hash'))?.lastUsedAt).toBe(AT + 59_999)
    stores.keys.touchKey('key_1', AT + 60_000)
    await commitSomething()
    expect(writtenUse()).toBe(AT + 60_000)
  })

  it('is written when the store closes', async () => {
    stores.keys.touchKey('key_1', AT)
    await commitSomething()
    stores.keys.touchKey('key_1', AT + 5)
    await stores.close()
    expect(writtenUse()).toBe(AT + 5)
  })

  it('never goes back', async () => {
    stores.keys.touchKey('key_1', AT + 10)
    stores.keys.touchKey('key_1', AT)
    await commitSomething()
    expect(writtenUse()).toBe(AT + 10)
  })
})
