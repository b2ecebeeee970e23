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

/** The rows of these rules first, in this order, then the others. Throws for a damaged row, before it gets a new checksum. */
export function inOrder(rows: readonly Row[], ruleIds: readonly string[]): readonly Row[] {
  for (const row of rows) ruleIn(row)
  const byId = new Map(rows.map((row) => [textIn(row, 'rule_id'), row] as const))
  const first = new Set<Row>()
  for (const id of ruleIds) {
    const row = byId.get(id)
    if (row !== undefined) first.add(row)
  }
  return [...first, ...rows.filter((row) => !first.has(row))]
}

export function checksumOfRule({ ruleId, userId, place, createdAt, text }: RuleRow): number {
  return crc32(JSON.stringify([ruleId, userId, place, createdAt, text]))
}
