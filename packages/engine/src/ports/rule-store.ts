import type { UserId } from '../ids.ts'

/** The permission rules of users, in the order of evaluation. */
export interface RuleStore {
  listRules(userId: UserId): Promise<readonly StoredRule[]>
  /** Adds the rule at the end. */
  addRule(userId: UserId, rule: StoredRule): Promise<void>
  /** Returns `false` if the user has no such rule. */
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
  /** `*`, a name, or a regular expression that must match the whole name. */
  readonly tool: string
  /** Regular expressions that are searched for in the arguments. All must match. */
  readonly args?: { readonly [argument: string]: string }
  readonly domain?: {
    readonly allowlist?: readonly string[]
    readonly blocklist?: readonly string[]
    /** The argument that holds the URL. Default: `url`. */
    readonly urlArgument?: string
  }
  readonly action: RuleAction
}
