import type { RuleStore } from '@polylogue/engine'
import { checksumOfRule, integerIn, ruleIn } from '@polylogue/store-rows'
import type { Database } from './database.ts'
import { lockUser } from './lock-user.ts'

export function createPostgresRuleStore(db: Database): RuleStore {
  return {
    listRules: (userId) =>
      db.asUser(userId, async (query) => {
        const text = `SELECT rule_id, user_id, place, created_at, rule, crc FROM polylogue.rules
          WHERE user_id = $1 ORDER BY place`
        return (await query({ name: 'list_rules', text, values: [userId] })).map(ruleIn)
      }),
    addRule: (userId, { ruleId, rule, createdAt }) =>
      db.change(userId, async (query) => {
        await lockUser(query, userId)
        const last = 'SELECT coalesce(max(place), 0) AS place FROM polylogue.rules WHERE user_id = $1'
        const [found] = await query({ text: last, values: [userId] })
        const place = integerIn(found ?? {}, 'place') + 1
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
        const crc = checksumOfRule({ ruleId, userId, place: integerIn(row, 'place'), createdAt, text })
        const update = 'UPDATE polylogue.rules SET rule = $1, crc = $2 WHERE rule_id = $3 AND user_id = $4'
        await query({ text: update, values: [text, crc, ruleId, userId] })
      }),
    removeRule: (userId, ruleId) =>
      db.change(userId, async (query) => {
        const text = 'DELETE FROM polylogue.rules WHERE rule_id = $1 AND user_id = $2 RETURNING rule_id'
        return (await query({ text, values: [ruleId, userId] })).length > 0
      }),
  }
}
