/**
 * A permission rule as clients and files write it:
 * `{"tool", "args"?: {name: pattern}, "domain"?: {"allowlist" | "blocklist", "url_arg"?}, "action"?}`.
 */
import { parseRule, ruleProblems, type PermissionRule, type StoredRule } from '@polylogue/engine'
import { z } from 'zod'

const hosts = z.array(z.string().min(1).max(255)).max(200)

/** Strict: a field that we do not know may be one that narrows the rule. */
export const ruleJson = z.strictObject({
  tool: z.string().min(1).max(1_000),
  args: z.record(z.string().min(1).max(200), z.string().min(1).max(1_000)).optional(),
  domain: z
    .strictObject({
      allowlist: hosts.optional(),
      blocklist: hosts.optional(),
      url_arg: z.string().min(1).max(200).optional(),
    })
    .refine(({ allowlist, blocklist }) => allowlist !== undefined || blocklist !== undefined, {
      error: 'needs an allowlist or a blocklist',
    })
    .optional(),
  /** Whatever is no action means `ask`. */
  action: z.unknown().optional(),
})

export type RuleJson = z.infer<typeof ruleJson>

export interface ReadRule {
  readonly rule: PermissionRule
  /** What its author may have meant otherwise. */
  readonly warnings: readonly string[]
}

export function readRule({ tool, args, domain, action }: RuleJson): ReadRule {
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
  return { rule, warnings: [...unknownAction, ...ruleProblems(rule)] }
}

export function toRuleJson({ tool, args, domain, action }: PermissionRule) {
  return {
    tool,
    args,
    domain: domain && { allowlist: domain.allowlist, blocklist: domain.blocklist, url_arg: domain.urlArgument },
    action,
  }
}

export function toStoredRuleJson({ ruleId, rule, createdAt }: StoredRule) {
  return { id: ruleId, ...toRuleJson(rule), createdAt }
}
