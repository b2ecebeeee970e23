// What the owner answers about permissions, as far as the verbs read it. Unknown fields are passed over.
import { z } from 'zod'

const ruleFields = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.string()).optional(),
  domain: z
    .object({
      allowlist: z.array(z.string()).optional(),
      blocklist: z.array(z.string()).optional(),
      url_arg: z.string().optional(),
    })
    .optional(),
  action: z.string(),
})

const rule = ruleFields.extend({ id: z.string(), createdAt: z.number() })
export type Rule = Omit<z.infer<typeof rule>, 'createdAt'>

const warnings = z.array(z.string())

export const ruleList = z.object({
  rules: z.array(rule),
  operator: z.object({
    deny: z.array(ruleFields),
    allowHosts: z.array(z.string()),
    blockHosts: z.array(z.string()),
    ceiling: z.string(),
  }),
})
export const addedRule = rule.extend({ warnings })
export const importedRules = z.object({ rules: z.array(rule), known: z.number(), warnings })

const testedCall = z.object({
  sessionId: z.string(),
  toolCallId: z.string(),
  at: z.number(),
  tool: z.string(),
  preset: z.string(),
  what: z.string(),
  happened: z.string(),
  without: z.string(),
  with: z.string(),
  reason: z.string(),
})
export type TestedCall = z.infer<typeof testedCall>

const count = z.number()
export const backtestResult = z.object({
  rule: ruleFields,
  sessions: count,
  looked: count,
  unknown: count,
  totals: z.object({ allow: count, ask: count, deny: count, disabled: count }),
  changed: count,
  isComplete: z.boolean(),
  calls: z.array(testedCall),
  warnings,
})
export type BacktestResult = z.infer<typeof backtestResult>
