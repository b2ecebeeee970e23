import type { DatabaseSync } from 'node:sqlite'
import type { RuleStore } from '@polylogue/engine'
import { checksumOfRule, integerIn, ruleIn } from '@polylogue/store-rows'
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
  const selectLastPlace = db.prepare('SELECT coalesce(max(place), 0) AS place FROM rules WHERE user_id = ?')
  const insert = db.prepare(
    'INSERT INTO rules (rule_id, user_id, place, created_at, rule, crc) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const selectOne = db.prepare(
    'SELECT rule_id, user_id, place, created_at, rule, crc FROM rules WHERE rule_id = ? AND user_id = ?',
  )
  const update = db.prepare('UPDATE rules SET rule = ?, crc = ? WHERE rule_id = ?')
  const remove = db.prepare('DELETE FROM rules WHERE rule_id = ? AND user_id = ?')

  return {
    listRules: (userId) => commits.read(() => selectOfUser.all(userId).map(ruleIn)),
    addRule: (userId, { ruleId, rule, createdAt }) =>
      commits.write('other', () => {
        if (selectSame.get(ruleId) !== undefined) throw new Error(`The rule ${ruleId} exists already.`)
        const place = integerIn(selectLastPlace.get(userId) ?? {}, 'place') + 1
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
        update.run(text, checksumOfRule({ ruleId, userId, place, createdAt, text }), ruleId)
      }),
    removeRule: (userId, ruleId) => commits.write('other', () => Number(remove.run(ruleId, userId).changes) > 0),
  }
}
