import type { PermissionRule } from '../ports/rule-store.ts'

/**
 * Of one user. Every call is compared with all rules of its user, and they are read and shown together. `length`: of their
 * JSON, in characters.
 */
export const RULE_LIMITS = { perUser: 500, length: 256 * 1024 } as const

/** Why these cannot be all rules of a user, as a sentence. */
export function findRuleExcess(rules: readonly PermissionRule[]): string | undefined {
  if (rules.length > RULE_LIMITS.perUser) return `a user has ${RULE_LIMITS.perUser} at most.`
  let length = 0
  for (const rule of rules) length += JSON.stringify(rule).length
  if (length > RULE_LIMITS.length) return `all rules of a user have ${RULE_LIMITS.length} characters at most.`
  return undefined
}
