import type { UserId } from '../ids.ts'
import { bindingOf, createMatchBudget, matchRule } from '../permission/match-rule.ts'
import type { BoundTool, PermissionRule, RuleStore, StoredRule } from '../ports/rule-store.ts'

/**
 * Binds the user's `allow` rules to the definitions of the tools that are called now, where a rule has not covered the
 * tool before. Returns the rules as they are then. A tool of a third party that changes its definition later is asked
 * for again.
 */
export async function bindRules(
  userId: UserId,
  tools: readonly BoundTool[],
  rules: Pick<RuleStore, 'listRules' | 'bindRule'>,
): Promise<readonly PermissionRule[]> {
  const stored = await rules.listRules(userId)
  const budget = createMatchBudget()
  const isUnbound = ({ rule }: StoredRule, { tool, definition }: BoundTool): boolean =>
    bindingOf(rule, { name: tool, definition }) === 'unbound' && matchRule(rule, { tool }, budget) !== 'no'
  const missing = tools.flatMap((tool) =>
    stored.filter((one) => isUnbound(one, tool)).map(({ ruleId }) => ({ ruleId, tool })),
  )
  for (const { ruleId, tool } of missing) await rules.bindRule(userId, ruleId, tool)
  return (missing.length === 0 ? stored : await rules.listRules(userId)).map(({ rule }) => rule)
}
