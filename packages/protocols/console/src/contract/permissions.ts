/**
 * A permission rule as clients and files write it:
 * `{"tool", "args"?: {name: pattern}, "domain"?: {"allowlist" | "blocklist", "url_arg"?}, "action"?}`.
 */
import { z } from 'zod'
import { count, preset, time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

/** Every call is compared with all rules of its user. */
export const MOST_RULES = 500

const hosts = z.array(z.string().min(1).max(255)).max(200)

/** Strict: an unknown field may be one that narrows the rule. */
export const newRule = z.strictObject({
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
  /** Anything but `allow`, `ask` and `deny` means `ask`, with a warning. */
  action: z.unknown().optional(),
})
export type NewRule = Sent<z.infer<typeof newRule>>

const action = z.enum(['allow', 'ask', 'deny'])
const decision = z.enum(['allow', 'ask', 'deny', 'disabled'])

const rule = z
  .object({
    tool: z.string(),
    args: z.record(z.string(), z.string()).optional(),
    domain: z
      .object({
        allowlist: z.array(z.string()).optional(),
        blocklist: z.array(z.string()).optional(),
        url_arg: z.string().optional(),
      })
      .optional(),
    action,
    /** The rule is a kept *always allow*: it answers approval requests of sessions in this directory. */
    kept: z.object({ project: z.string(), label: z.string() }).optional(),
  })
  .meta({ id: 'ConsoleRule' })
export type Rule = Sent<z.infer<typeof rule>>

const storedRule = rule.extend({ id: z.string(), createdAt: time }).meta({ id: 'ConsoleStoredRule' })
export type StoredRule = Sent<z.infer<typeof storedRule>>

/** What the author of a rule may have meant otherwise. */
const warnings = z.array(z.string())

const testedCall = z.object({
  sessionId: z.string(),
  toolCallId: z.string(),
  at: time,
  tool: z.string(),
  preset,
  what: z.string(),
  /** What became of the call when it was made. */
  happened: z.enum(['allowed', 'granted', 'rejected', 'unanswered', 'denied', 'refused']),
  /** By today's rules. */
  without: decision,
  with: decision,
  reason: z.string(),
})
export type TestedCall = Sent<z.infer<typeof testedCall>>

export const backtestResult = z
  .object({
    rule,
    sessions: count,
    looked: count,
    /** Calls whose tool is gone, or describes its calls differently now. */
    unknown: count,
    /** Calls that the rule matches, by what would become of them. */
    totals: z.object({ allow: count, ask: count, deny: count, disabled: count }),
    /** Calls that today's rules judge differently. */
    changed: count,
    isComplete: z.boolean(),
    /** Newest first. */
    calls: z.array(testedCall),
    warnings,
  })
  .meta({ id: 'ConsoleBacktest' })
export type BacktestResult = Sent<z.infer<typeof backtestResult>>

const proposal = backtestResult.extend({ first: z.boolean() }).meta({ id: 'ConsoleRuleProposal' })
export type RuleProposal = Sent<z.infer<typeof proposal>>

const tag = 'permissions'

export const permissionOperations = defineOperations({
  listRules: {
    method: 'GET',
    path: '/permissions',
    tag,
    summary: 'List your rules in the order in which they are tried, and what the operator set.',
    status: 200,
    answer: z.object({
      rules: z.array(storedRule),
      operator: z.object({
        deny: z.array(rule),
        allowHosts: z.array(z.string()),
        blockHosts: z.array(z.string()),
        ceiling: preset,
      }),
    }),
  },
  addRule: {
    method: 'POST',
    path: '/permissions',
    tag,
    summary: 'Add a rule after the others, or with `first` before them.',
    status: 201,
    body: newRule.extend({ first: z.boolean().default(false) }),
    answer: storedRule.extend({ warnings }),
  },
  changeRule: {
    method: 'PATCH',
    path: '/permissions/{id}',
    tag,
    summary: 'Replace a rule in its place.',
    status: 200,
    body: newRule,
    answer: storedRule.extend({ warnings }),
    refusals: { 404: 'you have no such rule' },
  },
  arrangeRules: {
    method: 'POST',
    path: '/permissions/order',
    tag,
    summary: 'Put rules first, in this order. The others follow in their order.',
    status: 200,
    body: z.strictObject({ ids: z.array(z.string().min(1).max(200)).max(MOST_RULES) }),
    answer: z.object({ rules: z.array(storedRule) }),
  },
  proposeRules: {
    method: 'POST',
    path: '/permissions/proposals',
    tag,
    summary: 'Propose the smallest rules that allow a call, each with what it would have made of past calls.',
    status: 200,
    isLarge: true,
    body: z.strictObject({ session: z.string().min(1).max(200), call: z.string().min(1).max(200) }),
    /** `first`: one of your rules asks, so the proposed one must be added before the others. */
    answer: z.object({ proposals: z.array(proposal) }),
    refusals: { 404: 'the session has no such call' },
  },
  readOverrides: {
    method: 'GET',
    path: '/sessions/{id}/overrides',
    tag,
    summary: 'List what you allowed for the rest of a session.',
    status: 200,
    answer: z.object({ overrides: z.array(z.string()) }),
  },
  dropOverrides: {
    method: 'DELETE',
    path: '/sessions/{id}/overrides',
    tag,
    summary: 'Ask again about what you allowed for the rest of a session.',
    status: 204,
  },
  removeRule: {
    method: 'DELETE',
    path: '/permissions/{id}',
    tag,
    summary: 'Remove a rule.',
    status: 204,
  },
  importRules: {
    method: 'POST',
    path: '/permissions/import',
    tag,
    summary: 'Add the rules of a list that you do not have yet.',
    status: 200,
    body: z.strictObject({ rules: z.array(newRule).max(MOST_RULES) }),
    answer: z.object({ rules: z.array(storedRule), known: count, warnings }),
  },
  backtestRule: {
    method: 'POST',
    path: '/permissions/backtest',
    tag,
    summary: 'Show what a rule would have made of past calls. Nothing is changed.',
    status: 200,
    isLarge: true,
    body: z.strictObject({
      rule: newRule,
      /** Try it before your other rules instead of after them. */
      first: z.boolean().default(false),
      calls: z.int().min(1).max(10_000).default(2_000),
    }),
    answer: backtestResult,
  },
})
