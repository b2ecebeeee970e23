import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { parseRule, type RuleStore, type StoredRule } from '@polylogue/engine'
import { damaged } from './damage.ts'
import type { GroupCommit } from './group-commit.ts'
import { type Row, integerIn, textIn } from './rows.ts'

export interface SqliteRuleStoreOptions {
  readonly db: DatabaseSync
  readonly commits: GroupCommit
}

interface RuleRow {
  readonly ruleId: string
  readonly userId: string
  readonly place: number
  readonly createdAt: number
  readonly text: string
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
  const remove = db.prepare('DELETE FROM rules WHERE rule_id = ? AND user_id = ?')

  return {
    listRules: (userId) => commits.read(() => selectOfUser.all(userId).map(ruleIn)),
    addRule: (userId, { ruleId, rule, createdAt }) =>
      commits.write('other', () => {
        if (selectSame.get(ruleId) !== undefined) throw new Error(`The rule ${ruleId} exists already.`)
        const place = integerIn(selectLastPlace.get(userId) ?? {}, 'place') + 1
        const text = JSON.stringify(rule)
        const checksum = checksumOf({ ruleId, userId, place, createdAt, text })
        insert.run(ruleId, userId, place, createdAt, text, checksum)
      }),
    removeRule: (userId, ruleId) => commits.write('other', () => Number(remove.run(ruleId, userId).changes) > 0),
  }
}

/** A rule that cannot be read is never passed over: it may be the one that denies. */
function ruleIn(row: Row): StoredRule {
  const ruleId = textIn(row, 'rule_id')
  const createdAt = integerIn(row, 'created_at')
  const text = textIn(row, 'rule')
  const checksum = checksumOf({
    ruleId,
    userId: textIn(row, 'user_id'),
    place: integerIn(row, 'place'),
    createdAt,
    text,
  })
  if (checksum !== row['crc']) throw damaged(`The rule ${ruleId} is damaged.`)
  return { ruleId, rule: parseRule(JSON.parse(text)), createdAt }
}

function checksumOf({ ruleId, userId, place, createdAt, text }: RuleRow): number {
  return crc32(JSON.stringify([ruleId, userId, place, createdAt, text]))
}
