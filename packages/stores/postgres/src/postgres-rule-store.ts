import type { RuleStore } from '@polylogue/engine'
import { checksumOfRule, inOrder, integerIn, ruleIn, textIn } from '@polylogue/store-rows'
import type { Database } from './database.ts'
import { lockUser } from './lock-user.ts'

const OF_USER = `SELECT rule_id, user_id, place, created_at, rule, crc FROM polylogue.rules
  WHERE user_id = $1 ORDER BY place`
const PLACES = `SELECT coalesce(min(place), 1) AS first, coalesce(max(place), 0) AS last FROM polylogue.rules
  WHERE user_id = $1`
const UPDATE = 'UPDATE polylogue.rules SET place = $1, rule = $2, crc = $3 WHERE rule_id = $4 AND user_id = $5'

export function createPostgresRuleStore(db: Database): RuleStore {
  return {
    listRules: (userId) =>
      db.asUser(userId, async (query) => {
        return (await query({ name: 'list_rules', text: OF_USER, values: [userId] })).map(ruleIn)
      }),
    addRule: (userId, { ruleId, rule, createdAt }, { first } = { first: false }) =>
      db.change(userId, async (query) => {
        await lockUser(query, userId)
        const [found = {}] = await query({ text: PLACES, values: [userId] })
        const place = first ? integerIn(found, 'first') - 1 : integerIn(found, 'last') + 1
        const text = JSON.stringify(rule)
        const crc = checksumOfRule({ ruleId, userId, place, createdAt, text })
        const insert = `INSERT INTO polylogue.rules (rule_id, user_id, place, created_at, rule, crc)
          VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING rule_id`
        const made = await query({ text: insert, values: [ruleId, userId, place, createdAt, text, crc] })
        if (made.length === 0) throw new Error(`The rule ${ruleId} exists already.`)
      }),
    bindRule: (userId, ruleId, { tool, definition }) =>
      db.change(userId, async (query) => {
        await lockUser(query, userId)
        const select = `SELECT rule_id, user_id, place, created_at, rule, crc FROM polylogue.rules
          WHERE rule_id = $1 AND user_id = $2`
        const [row] = await query({ text: select, values: [ruleId, userId] })
        if (row === undefined) return
        const { rule, createdAt } = ruleIn(row)
        const text = JSON.stringify({ ...rule, definitions: { [tool]: definition, ...rule.definitions } })
        const place = integerIn(row, 'place')
        const crc = checksumOfRule({ ruleId, userId, place, createdAt, text })
        await query({ text: UPDATE, values: [place, text, crc, ruleId, userId] })
      }),
    changeRule: (userId, ruleId, rule) =>
      db.change(userId, async (query) => {
        await lockUser(query, userId)
        const select = 'SELECT place, created_at FROM polylogue.rules WHERE rule_id = $1 AND user_id = $2'
        const [row] = await query({ text: select, values: [ruleId, userId] })
        if (row === undefined) return false
        const place = integerIn(row, 'place')
        const createdAt = integerIn(row, 'created_at')
        const text = JSON.stringify(rule)
        const crc = checksumOfRule({ ruleId, userId, place, createdAt, text })
        await query({ text: UPDATE, values: [place, text, crc, ruleId, userId] })
        return true
      }),
    arrangeRules: (userId, ruleIds) =>
      db.change(userId, async (query) => {
        await lockUser(query, userId)
        const rows = await query({ text: OF_USER, values: [userId] })
        const [found = {}] = await query({ text: PLACES, values: [userId] })
        // Every rule gets a new place, because two rules cannot share one for a moment.
        let place = integerIn(found, 'last')
        for (const row of inOrder(rows, ruleIds)) {
          const ruleId = textIn(row, 'rule_id')
          const text = textIn(row, 'rule')
          place += 1
          const crc = checksumOfRule({ ruleId, userId, place, createdAt: integerIn(row, 'created_at'), text })
          await query({ text: UPDATE, values: [place, text, crc, ruleId, userId] })
        }
      }),
    removeRule: (userId, ruleId) =>
      db.change(userId, async (query) => {
        const text = 'DELETE FROM polylogue.rules WHERE rule_id = $1 AND user_id = $2 RETURNING rule_id'
        return (await query({ text, values: [ruleId, userId] })).length > 0
      }),
  }
}
