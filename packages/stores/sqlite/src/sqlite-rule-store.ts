import type { DatabaseSync } from 'node:sqlite'
import type { RuleStore } from '@polylogue/engine'
import { checksumOfRule, inOrder, integerIn, ruleIn, textIn } from '@polylogue/store-rows'
import type { GroupCommit } from './group-commit.ts'

export interface SqliteRuleStoreOptions {
  readonly db: DatabaseSync
  readonly commits: GroupCommit
}

export function createSqliteRuleStore({ db, commits }: SqliteRuleStoreOptions): RuleStore {
  const selectOfUser = db.prepare(
    'SELECT rule_id, user_id, place, created_at, rule, crc FROM rules WHERE user_id = ? ORDER BY place',
  )
  const selectSame = db.prepare('SELECT 1 FROM rules WHERE rule_id = ?')
  const selectPlaces = db.prepare(
    'SELECT coalesce(min(place), 1) AS first, coalesce(max(place), 0) AS last FROM rules WHERE user_id = ?',
  )
  const insert = db.prepare(
    'INSERT INTO rules (rule_id, user_id, place, created_at, rule, crc) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const selectOne = db.prepare(
    'SELECT rule_id, user_id, place, created_at, rule, crc FROM rules WHERE rule_id = ? AND user_id = ?',
  )
  const update = db.prepare('UPDATE rules SET place = ?, rule = ?, crc = ? WHERE rule_id = ?')
  const remove = db.prepare('DELETE FROM rules WHERE rule_id = ? AND user_id = ?')

  return {
    listRules: (userId) => commits.read(() => selectOfUser.all(userId).map(ruleIn)),
    addRule: (userId, { ruleId, rule, createdAt }, { first } = { first: false }) =>
      commits.write('other', () => {
        if (selectSame.get(ruleId) !== undefined) throw new Error(`The rule ${ruleId} exists already.`)
        const places = selectPlaces.get(userId) ?? {}
        const place = first ? integerIn(places, 'first') - 1 : integerIn(places, 'last') + 1
        const text = JSON.stringify(rule)
        const checksum = checksumOfRule({ ruleId, userId, place, createdAt, text })
        insert.run(ruleId, userId, place, createdAt, text, checksum)
      }),
    bindRule: (userId, ruleId, { tool, definition }) =>
      commits.write('other', () => {
        const row = selectOne.get(ruleId, userId)
        if (row === undefined) return
        const { rule, createdAt } = ruleIn(row)
        const text = JSON.stringify({ ...rule, definitions: { [tool]: definition, ...rule.definitions } })
        const place = integerIn(row, 'place')
        update.run(place, text, checksumOfRule({ ruleId, userId, place, createdAt, text }), ruleId)
      }),
    changeRule: (userId, ruleId, rule) =>
      commits.write('other', () => {
        const row = selectOne.get(ruleId, userId)
        if (row === undefined) return false
        const place = integerIn(row, 'place')
        const createdAt = integerIn(row, 'created_at')
        const text = JSON.stringify(rule)
        update.run(place, text, checksumOfRule({ ruleId, userId, place, createdAt, text }), ruleId)
        return true
      }),
    arrangeRules: (userId, ruleIds) =>
      commits.write('other', () => {
        // Every rule gets a new place, because two rules cannot share one for a moment.
        let place = integerIn(selectPlaces.get(userId) ?? {}, 'last')
        for (const row of inOrder(selectOfUser.all(userId), ruleIds)) {
          const ruleId = textIn(row, 'rule_id')
          const text = textIn(row, 'rule')
          place += 1
          const checksum = checksumOfRule({ ruleId, userId, place, createdAt: integerIn(row, 'created_at'), text })
          update.run(place, text, checksum, ruleId)
        }
      }),
    removeRule: (userId, ruleId) => commits.write('other', () => Number(remove.run(ruleId, userId).changes) > 0),
  }
}
