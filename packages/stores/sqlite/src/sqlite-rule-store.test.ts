import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asUserId, type Stores } from '@polylogue/engine'
import { createFakeClock, ruleStoreContract } from '@polylogue/testkit'
import { openSqliteStores } from './open-sqlite-stores.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-rules-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const fileOf = (): string => join(directory, 'polylogue.db')
const open = (): Promise<Stores> => openSqliteStores({ file: fileOf(), clock: createFakeClock() })

ruleStoreContract('the SQLite rule store', async () => {
  let stores = await open()
  return {
    store: stores.rules,
    reopen: async () => {
      await stores.close()
      stores = await open()
      return stores.rules
    },
    close: () => stores.close(),
  }
})

describe('a stored rule', () => {
  it.each([
    ["rule = replace(rule, 'deny', 'allow')"],
    ["user_id = 'ada', rule = rule || ' '"],
    ['place = place + 1'],
    ["rule = '{}', crc = 0"],
  ])('that was changed by accident is never taken for the rule: %s', async (change) => {
    const stores = await open()
    await stores.rules.addRule(asUserId('ada'), {
      ruleId: 'rule_1',
      rule: { tool: 'Bash', action: 'deny' },
      createdAt: 1,
    })
    await stores.close()
    const db = new DatabaseSync(fileOf())
    db.exec(`UPDATE rules SET ${change}`)
    db.close()
    const again = await open()
    await expect(again.rules.listRules(asUserId('ada'))).rejects.toMatchObject({
      name: 'StorageFault',
      kind: 'broken',
      message: expect.stringContaining('rule_1'),
    })
    await again.close()
  })
})
