import type { UserId } from '../ids.ts'

/** The permission rules of users, in the order of evaluation. */
export interface RuleStore {
  listRules(userId: UserId): Promise<readonly StoredRule[]>
  /** Adds the rule at the end. */
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

export type RuleAction = 'allow' | 'ask' | 'deny'

export interface PermissionRule {
  /** `*`, a name, or a regular expression that matches the whole name. */
  readonly tool: string
  /** Regular expressions searched for in the arguments; all must match. */
  readonly args?: { readonly [argument: string]: string }
  readonly domain?: {
    readonly allowlist?: readonly string[]
    readonly blocklist?: readonly string[]
    /** The argument that holds the URL; `url` unless said otherwise. */
    readonly urlArgument?: string
  }
  readonly action: RuleAction
}
