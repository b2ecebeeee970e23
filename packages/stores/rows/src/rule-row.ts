import { crc32 } from 'node:zlib'
import { parseRule, type StoredRule } from '@polylogue/engine'
import { damaged } from './damage.ts'
import { type Row, integerIn, textIn } from './row.ts'

export interface RuleRow {
  readonly ruleId: string
  readonly userId: string
  readonly place: number
  readonly createdAt: number
  readonly text: string
}

/** Throws for an unreadable rule instead of skipping it, because it may be one that denies. */
export function ruleIn(row: Row): StoredRule {
  const ruleId = textIn(row, 'rule_id')
  const createdAt = integerIn(row, 'created_at')
  const text = textIn(row, 'rule')
  const checksum = checksumOfRule({
    ruleId,
    userId: textIn(row, 'user_id'),
    place: integerIn(row, 'place'),
    createdAt,
    text,
  })
  if (checksum !== row['crc']) throw damaged(`The rule ${ruleId} is damaged.`)
  return { ruleId, rule: parseRule(JSON.parse(text)), createdAt }
}

export function checksumOfRule({ ruleId, userId, place, createdAt, text }: RuleRow): number {
  return crc32(JSON.stringify([ruleId, userId, place, createdAt, text]))
}
