import { z } from 'zod'
import { createMatchBudget } from './match-rule.ts'
import { type MatchBudget, problemOfPattern } from './pattern.ts'
import type { PermissionRule } from '../ports/rule-store.ts'

const MOST_ENTRIES = 200

const pattern = z.string().min(1).max(1_000)
const host = z.string().min(1).max(255)

const ruleSchema = z
  .strictObject({
    tool: pattern,
    args: z
      .record(z.string().min(1).max(200), pattern)
      .refine((args) => Object.keys(args).length <= MOST_ENTRIES, `at most ${MOST_ENTRIES} arguments`)
      .optional(),
    domain: z
      .strictObject({
        allowlist: z.array(host).max(MOST_ENTRIES).optional(),
        blocklist: z.array(host).max(MOST_ENTRIES).optional(),
        urlArgument: z.string().min(1).max(200).optional(),
      })
      .optional(),
    action: z.enum(['allow', 'ask', 'deny']),
    definitions: z.record(z.string(), z.string()).optional(),
    kept: z.strictObject({ project: z.string(), covers: z.string(), label: z.string() }).readonly().optional(),
  })
  .readonly()

/** Throws a `ZodError` if the value is not a valid rule. */
export function parseRule(value: unknown): PermissionRule {
  const { tool, args, domain, action, definitions, kept } = ruleSchema.parse(value)
  return {
    tool,
    ...(args && { args }),
    ...(domain && {
      domain: {
        ...(domain.allowlist && { allowlist: domain.allowlist }),
        ...(domain.blocklist && { blocklist: domain.blocklist }),
        ...(domain.urlArgument !== undefined && { urlArgument: domain.urlArgument }),
      },
    }),
    action,
    ...(definitions && { definitions }),
    ...(kept && { kept }),
  }
}

/**
 * The texts in a rule that are not valid patterns and are therefore compared literally, each as a sentence. Rules that arrive
 * together share a budget; patterns beyond it are named, too.
 */
export function ruleProblems(
  { tool, args = {} }: PermissionRule,
  budget: Pick<MatchBudget, 'effort'> = createMatchBudget(),
): readonly string[] {
  const fields = [
    ['tool', tool] as const,
    ...Object.entries(args).map(([name, text]) => [`args.${name}`, text] as const),
  ]
  return fields.flatMap(([field, text]) => {
    const problem = field === 'tool' && text === '*' ? undefined : problemOfPattern(text, budget)
    if (problem === 'unknown') return [`${field}: not looked at: the patterns are too large together`]
    return problem === undefined ? [] : [`${field}: no regular expression (${problem}): compared literally`]
  })
}
