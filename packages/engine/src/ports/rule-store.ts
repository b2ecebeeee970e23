import type { UserId } from '../ids.ts'

/** The permission rules of users, in the order of evaluation. */
export interface RuleStore {
  listRules(userId: UserId): Promise<readonly StoredRule[]>
  /** Adds the rule at the end, or with `first` before all others. */
  addRule(userId: UserId, rule: StoredRule, options?: { readonly first: boolean }): Promise<void>
  /** Replaces a rule in its place, without the definitions that it was bound to. `false` if the user has no such rule. */
  changeRule(userId: UserId, ruleId: string, rule: PermissionRule): Promise<boolean>
  /** Puts these rules first, in this order. The others follow in their order. Ignores ids that the user does not have. */
  arrangeRules(userId: UserId, ruleIds: readonly string[]): Promise<void>
  /**
   * Binds an `allow` rule to the definition that a tool of a third party has now. The first binding of a tool stays. Does
   * nothing if the user has no such rule.
   */
  bindRule(userId: UserId, ruleId: string, bound: BoundTool): Promise<void>
  /** Returns `false` if the user has no such rule. */
  removeRule(userId: UserId, ruleId: string): Promise<boolean>
}

export interface StoredRule {
  /** `rule_…` */
  readonly ruleId: string
  readonly rule: PermissionRule
  readonly createdAt: number
}

export interface BoundTool {
  readonly tool: string
  /** Digest of its definition. */
  readonly definition: string
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
  /**
   * For each tool of a third party that an `allow` rule has covered: the digest of the definition that it had at its
   * first call. The rule does not cover another definition.
   */
  readonly definitions?: { readonly [tool: string]: string }
  /** Present: the rule is a kept *always allow*. It answers an approval request and decides nothing else. */
  readonly kept?: KeptAnswer
}

export interface KeptAnswer {
  /** The directory whose sessions it applies to. */
  readonly project: string
  /** The key that calls are compared by: `covers` of the offer. */
  readonly covers: string
  /** What the user chose, in words. */
  readonly label: string
}
