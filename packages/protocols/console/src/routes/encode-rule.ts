import {
  createMatchBudget,
  parseRule,
  ruleProblems,
  type MatchBudget,
  type PermissionRule,
  type StoredRule,
} from '@polylogue/engine'
import type { NewRule, Rule, StoredRule as StoredRuleJson } from '../contract/permissions.ts'

export interface ParsedRule {
  readonly rule: PermissionRule
  /** What its author may have meant otherwise. */
  readonly warnings: readonly string[]
}

/** Rules that arrive together share a budget. */
export function parseNewRule(
  { tool, args, domain, action }: NewRule,
  budget: MatchBudget = createMatchBudget(),
): ParsedRule {
  const isKnown = action === 'allow' || action === 'ask' || action === 'deny'
  const rule = parseRule({
    tool,
    ...(args && { args }),
    ...(domain && {
      domain: {
        ...(domain.allowlist && { allowlist: domain.allowlist }),
        ...(domain.blocklist && { blocklist: domain.blocklist }),
        ...(domain.url_arg !== undefined && { urlArgument: domain.url_arg }),
      },
    }),
    action: isKnown ? action : 'ask',
  })
  const unknownAction = isKnown || action === undefined ? [] : ['action: neither allow, ask nor deny: taken as ask']
  return { rule, warnings: [...unknownAction, ...ruleProblems(rule, budget)] }
}

export function toRuleJson({ tool, args, domain, action, kept }: PermissionRule): Rule {
  return {
    tool,
    args,
    domain: domain && {
      allowlist: domain.allowlist,
      blocklist: domain.blocklist,
      url_arg: domain.urlArgument,
    },
    action,
    kept: kept && { project: kept.project, label: kept.label },
  }
}

export function toStoredRuleJson({ ruleId, rule, createdAt }: StoredRule): StoredRuleJson {
  return { id: ruleId, ...toRuleJson(rule), createdAt }
}
