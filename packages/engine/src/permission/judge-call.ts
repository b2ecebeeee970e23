/**
 * The one place that decides whether a call of one of the agent's tools may run. The order, first match wins:
 *
 *   the session does not have the tool
 *   the tool runs programs without a sandbox, and the session belongs to somebody else than the server's own user
 *   floors: hardline commands, commands beyond the parser's limits, paths outside the roots, the server's own files
 *   the operator's deny rules
 *   mode read-only, and the call would change something
 *   workspace-write and read-only: the user's rules, then the preset
 *   full-access and plan: the preset, which has a row for every call
 *
 * After that, a call that touches protected paths, a memory whose text came from a tool, or a command that the parser
 * does not understand, is at least asked for. In full-access, such a command runs in its sandbox without a question. In a
 * session whose client lists its tools, trust decides what happens to an ask. Everything here is pure.
 */
import type { JsonObject } from '../json.ts'
import type { Tool } from '../ports/tool.ts'
import type { CallFacts } from '../events/call-facts.ts'
import { everyKindOf } from './every-kind.ts'
import { type RuledCall, bindingOf, createMatchBudget, matchRule } from './match-rule.ts'
import type { MatchBudget } from './pattern.ts'
import type { PermissionRule, RuleAction } from '../ports/rule-store.ts'
import type { Policy, Verdict } from './policy.ts'
import { guardedRow, isReading, presetRow } from './preset-table.ts'

export const judgeCall = (call: Required<Case>): Verdict => judge(call)

/** Whether the tool is offered to the model. Disabled tools are not, nor are tools whose every call would be denied. */
export function isOffered(tool: Tool, policy: Policy): boolean {
  if (!isListed({ tool, policy })) return false
  return everyKindOf(tool).some((facts) => {
    const { decision } = judge({ tool, facts, policy })
    return decision === 'allow' || decision === 'ask'
  })
}

/** What becomes of the calls of a tool, by their kind: each verdict once, the mildest first. */
export function verdictsOf(tool: Tool, policy: Policy): readonly Verdict['decision'][] {
  const found = new Set(everyKindOf(tool).map((facts) => judge({ tool, facts, policy }).decision))
  return (['allow', 'ask', 'deny', 'disabled'] as const).filter((decision) => found.has(decision))
}

/** Without an input: the mildest verdict for any call of this kind. */
export interface Case {
  readonly tool: Tool
  readonly facts: CallFacts
  readonly policy: Policy
  readonly input?: JsonObject
}

/** `isFirm`: only a person's answer resolves the ask, neither trust nor an override. */
interface Ruling {
  readonly decision: RuleAction
  readonly reason: string
  readonly isFirm?: boolean
  readonly needsPerson?: true
}

function judge(subject: Case): Verdict {
  const { tool, facts } = subject
  if (!isListed(subject)) return { decision: 'disabled', reason: `not-enabled:${tool.name}`, isCoverable: false }
  const { isFirm = false, ...ruling } = withTrust(
    subject,
    withGuard(subject, withOrigin(subject, withDoubt(subject, decide(subject)))),
  )
  return { ...ruling, isCoverable: !isFirm && isPlainEnough(facts) }
}

function decide(subject: Case): Ruling {
  const { tool, facts, policy } = subject
  if (tool.isUnconfined === true && !policy.mayRunUnconfined) return deny(`no-sandbox:${tool.name}`)
  const floor = floorOf(facts)
  if (floor !== undefined) return deny(floor)
  const denial = firstMatch(
    subject,
    policy.denyRules.filter(({ action }) => action === 'deny'),
    { ...createMatchBudget(), effort: Infinity },
  )
  if (denial !== undefined) return deny(`operator-rule:${tool.name}`)
  const preset = presetRuling(subject)
  if (policy.preset === 'read-only' && !isReading(facts, tool.effect)) return deny(preset.reason)
  if (policy.preset === 'full-access' || policy.preset === 'plan') return preset
  const match = firstMatch(subject, policy.userRules, budgetFor(subject))
  if (match === undefined) {
    const isOutdated = preset.decision === 'ask' && hasOutdatedRule(subject)
    return isOutdated ? { ...preset, reason: `definition-changed:${tool.name}` } : preset
  }
  if (match.isDoubtful === true) return deny('limit:rule-patterns')
  const { action } = match.rule
  if (action === 'allow' && needsMoreThan(match.rule, subject)) {
    return { decision: 'ask', reason: `more-access:${tool.name}` }
  }
  return { decision: action, reason: `user-rule:${tool.name}`, isFirm: action === 'ask' }
}

/** A rule about a whole tool does not open the network or other folders. A rule about its commands does. */
function needsMoreThan({ args }: PermissionRule, { facts, policy }: Case): boolean {
  if (facts.type !== 'shell' || Object.keys(args ?? {}).length > 0) return false
  return (facts.network !== undefined && policy.mayUseNetwork) || (facts.writes !== undefined && policy.isOwn)
}

function presetRuling({ tool, facts, policy }: Case): Ruling {
  const decision = presetRow(facts, tool.effect, policy.hosts)[policy.preset]
  const isForDanger = decision === 'deny' && policy.preset === 'workspace-write' && facts.type === 'shell'
  const reason = isForDanger && facts.danger !== undefined ? `dangerous:${facts.danger}` : `mode-preset:${tool.name}`
  return { decision, reason }
}

const deny = (reason: string): Ruling => ({ decision: 'deny', reason })

/** Calls that no mode, rule or answer allows. */
function floorOf(facts: CallFacts): string | undefined {
  switch (facts.type) {
    case 'shell':
      if (facts.hardline !== undefined) return `hardline:${facts.hardline}`
      if (facts.exceeds !== undefined) return `limit:${facts.exceeds}`
      return facts.outside === undefined ? undefined : 'path-policy'
    case 'read-files':
    case 'write-files':
      return facts.outside === undefined ? undefined : 'path-policy'
    default:
      return undefined
  }
}

interface RuleMatch {
  readonly rule: PermissionRule
  /** The comparison was too expensive: too much text for too large a pattern. */
  readonly isDoubtful?: boolean
}

/**
 * Returns the first rule that matches. If a comparison is too expensive, an `ask` or `deny` rule counts as a denial and
 * an `allow` rule is ignored (fail closed). If the input is not known yet, a rule about arguments counts as `allow`,
 * but a `deny` rule is ignored.
 */
function firstMatch(subject: Case, rules: readonly PermissionRule[], budget: MatchBudget): RuleMatch | undefined {
  const { tool, facts, input } = subject
  const call: RuledCall = { tool: tool.name, facts, ...(input && { input }) }
  const same = input && tool.sameAs?.(input)
  for (const rule of rules) {
    const own = isForDefinition(rule, subject) ? matchRule(rule, call, budget) : 'no'
    const answer = own === 'no' && same !== undefined ? matchRule(rule, { ...same, facts }, budget) : own
    if (answer === 'yes') return { rule }
    if (answer === 'no') continue
    if (input === undefined && rule.action !== 'deny') return { rule: { ...rule, action: 'allow' } }
    if (input !== undefined && rule.action !== 'allow') return { rule, isDoubtful: true }
  }
  return undefined
}

const offering = new WeakMap<readonly PermissionRule[], MatchBudget>()

/** Each call has its own. The question which tools to offer is asked for every tool and kind of call: they share one. */
function budgetFor({ input, policy: { userRules } }: Case): MatchBudget {
  const budget = (input === undefined && offering.get(userRules)) || createMatchBudget()
  if (input === undefined) offering.set(userRules, budget)
  return budget
}

/** An unbound rule covers no call, but its tool is offered: the call binds it. */
function isForDefinition(rule: PermissionRule, { tool, input }: Case): boolean {
  const binding = bindingOf(rule, tool)
  return binding === 'unbound' ? input === undefined : binding !== 'changed'
}

/** Whether a rule of the user allowed the tool before its definition changed. */
function hasOutdatedRule(subject: Case): boolean {
  const { tool, facts, input, policy } = subject
  const call: RuledCall = { tool: tool.name, facts, ...(input && { input }) }
  const budget = budgetFor(subject)
  return policy.userRules.some((rule) => bindingOf(rule, tool) === 'changed' && matchRule(rule, call, budget) !== 'no')
}

/** A command that the parser does not understand can do anything. In full-access only its sandbox limits it. */
function withDoubt({ tool, facts, policy }: Case, ruling: Ruling): Ruling {
  if (facts.type !== 'shell' || facts.isUnderstood || ruling.decision === 'deny') return ruling
  if (policy.preset === 'full-access' && tool.isUnconfined !== true) return ruling
  return { decision: 'ask', reason: ruling.decision === 'ask' ? ruling.reason : 'not-understood', isFirm: true }
}

/**
 * A memory outlives the session, so one whose text came from a tool is asked for where the preset table says so, and
 * neither trust nor a user's rule replaces the answer of a person.
 */
function withOrigin({ tool, facts, policy }: Case, ruling: Ruling): Ruling {
  if (facts.type !== 'notes' || facts.isFromTool !== true || ruling.decision === 'deny') return ruling
  if (presetRow(facts, tool.effect, policy.hosts)[policy.preset] !== 'ask') return ruling
  return { decision: 'ask', reason: `text-from-tool:${facts.sourceTool ?? ''}`, isFirm: true, needsPerson: true }
}

/**
 * For protected paths, the preset table denies or asks, and a user's rule cannot replace the answer of a person. In
 * `full-access`, they are open only to the user who runs the server.
 */
function withGuard({ facts, policy }: Case, ruling: Ruling): Ruling {
  const [path] = guardedIn(facts)
  if (path === undefined || ruling.decision === 'deny') return ruling
  const decision = guardedRow(policy.isOwn)[policy.preset]
  if (decision === 'allow') return ruling
  const reason = `protected-path:${path.slice(0, LONGEST_PATH)}`
  return decision === 'deny' ? deny(reason) : { decision, reason, isFirm: true, needsPerson: true }
}

const LONGEST_PATH = 200

function guardedIn(facts: CallFacts): readonly string[] {
  return 'guarded' in facts ? (facts.guarded ?? []) : []
}

/**
 * Applies trust in sessions whose client lists its tools. Trusted tools do not ask. Tools that are not exposed never
 * ask, because the client does not know them; if only a person could answer, the call is denied.
 */
function withTrust(subject: Case, ruling: Ruling): Ruling {
  const { tool, facts, policy } = subject
  if (ruling.decision === 'deny') return ruling
  // Asking for permission to ask the user a question would be pointless.
  if (facts.type === 'question') return { ...ruling, decision: 'allow', isFirm: false }
  if (policy.access.type === 'preset') return ruling
  if (!tool.exposed) {
    if (ruling.decision === 'ask') return { ...ruling, decision: ruling.isFirm === true ? 'deny' : 'allow' }
    return ruling
  }
  if (isTrusted(subject)) return ruling.isFirm === true ? ruling : { ...ruling, decision: 'allow' }
  return ruling.decision === 'ask' ? ruling : { ...ruling, decision: 'ask', reason: `not-trusted:${tool.name}` }
}

/** Trust in a tool that a third party defines covers only the definition that was trusted. */
function isTrusted(subject: Case): boolean {
  const grant = grantOf(subject)
  return grant?.trust === true && grant.definition === subject.tool.definition
}

function isListed(subject: Pick<Case, 'tool' | 'policy'>): boolean {
  const { tool, policy } = subject
  return policy.access.type === 'preset' || !tool.exposed || grantOf(subject) !== undefined
}

function grantOf({ tool, policy: { access } }: Pick<Case, 'tool' | 'policy'>) {
  return access.type === 'listed' ? access.tools.find(({ name }) => name === tool.name) : undefined
}

/** Whether *always allow this tool* covers such a call. */
function isPlainEnough(facts: CallFacts): boolean {
  if (facts.type === 'notes') return facts.isFromTool !== true
  if (facts.type !== 'shell') return true
  return facts.isUnderstood && !facts.hasWrapper && (facts.risk === 'safe' || facts.risk === 'other')
}
