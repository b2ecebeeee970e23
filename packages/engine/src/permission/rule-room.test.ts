import { expect, it } from 'vitest'
import type { PermissionRule } from '../ports/rule-store.ts'
import { RULE_LIMITS, findRuleExcess } from './rule-room.ts'

const rule = (tool: string): PermissionRule => ({ tool, action: 'ask' })
const many = (count: number, tool: string): PermissionRule[] => Array.from({ length: count }, () => rule(tool))

it('has room for as many small rules as a user can have', () => {
  expect(findRuleExcess(many(RULE_LIMITS.perUser, 'Bash'))).toBeUndefined()
  expect(findRuleExcess(many(RULE_LIMITS.perUser + 1, 'Bash'))).toBe('a user has 500 at most.')
})

it('counts the characters of all rules together', () => {
  const large = 'x'.repeat(RULE_LIMITS.length / 4)
  expect(findRuleExcess(many(3, large))).toBeUndefined()
  expect(findRuleExcess(many(4, large))).toBe('all rules of a user have 262144 characters at most.')
})
