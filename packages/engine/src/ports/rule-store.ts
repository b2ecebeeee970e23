import type { UserId } from '../ids.ts'
import type { PermissionRule } from '../permission/policy.ts'

/** The permission rules of users, in the order in which they are tried. */
export interface RuleStore {
  listRules(userId: UserId): Promise<readonly StoredRule[]>
  /** Appends at the end. */
  addRule(userId: UserId, rule: StoredRule): Promise<void>
  /** `false` when the user has no such rule. */
  removeRule(userId: UserId, ruleId: string): Promise<boolean>
}

export interface StoredRule {
  /** `rule_…` */
  readonly ruleId: string
  readonly rule: PermissionRule
  readonly createdAt: number
}
