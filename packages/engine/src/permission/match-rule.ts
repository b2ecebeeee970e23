import { canonicalJson } from '../canonical-json.ts'
import type { JsonObject } from '../json.ts'
import type { CallFacts } from '../events/call-facts.ts'
import { hostOf, isListed } from './host-lists.ts'
import { type MatchAnswer, type MatchBudget, compilePattern } from './pattern.ts'
import type { PermissionRule } from '../ports/rule-store.ts'

/**
 * A call as rules see it. Without `input` it stands for any call of the tool, so conditions on arguments are `unknown`.
 */
export interface RuledCall {
  readonly tool: string
  readonly input?: JsonObject
  readonly facts?: CallFacts
}

/** About 150 ms at most for all rules of a call together. Comparisons beyond the budget are `unknown`. */
export const createMatchBudget = (): MatchBudget => ({ steps: 2_000_000, effort: 20_000 })

export function matchRule(rule: PermissionRule, call: RuledCall, budget: MatchBudget): MatchAnswer {
  if (rule.kept !== undefined) return 'no'
  const answers = [matchTool(rule.tool, call.tool, budget)]
  if (answers[0] === 'no') return 'no'
  for (const [argument, pattern] of Object.entries(rule.args ?? {})) {
    const answer = call.input === undefined ? 'unknown' : matchArgument(call.input, argument, { pattern, budget })
    if (answer === 'no') return 'no'
    answers.push(answer)
  }
  if (rule.domain !== undefined) {
    const answer = call.input === undefined ? 'unknown' : matchDomain(rule.domain, call.input, call.facts)
    if (answer === 'no') return 'no'
    answers.push(answer)
  }
  return answers.includes('unknown') ? 'unknown' : 'yes'
}

export interface DefinedTool {
  readonly name: string
  /** Digest of the tool's definition, if a third party defines the tool. */
  readonly definition?: string
}

/**
 * How an `allow` rule stands to the definition of a tool: a rule that has not covered the tool yet is bound to it at the
 * first call.
 */
export function bindingOf(
  { action, definitions }: PermissionRule,
  { name, definition }: DefinedTool,
): 'needless' | 'unbound' | 'bound' | 'changed' {
  if (definition === undefined || action !== 'allow') return 'needless'
  const bound = definitions !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined
  if (bound === undefined) return 'unbound'
  return bound === definition ? 'bound' : 'changed'
}

/** Whether a rule applies to this call, as far as that is known. */
export function matchesRule(rule: PermissionRule, call: Required<RuledCall>): boolean {
  return matchRule(rule, call, createMatchBudget()) !== 'no'
}

/** The names of most tools. As a pattern, such a text matches nothing but itself. */
const PLAIN = /^[\w-]+$/

function matchTool(pattern: string, name: string, budget: MatchBudget): MatchAnswer {
  if (pattern === '*' || pattern === name) return 'yes'
  if (PLAIN.test(pattern)) return 'no'
  const compiled = compilePattern(pattern, budget)
  return compiled === 'unknown' ? compiled : (compiled?.matchWhole(name, budget) ?? 'no')
}

interface Wanted {
  readonly pattern: string
  readonly budget: MatchBudget
}

/** Values that are not strings are compared as JSON. */
function matchArgument(input: JsonObject, argument: string, { pattern, budget }: Wanted): MatchAnswer {
  const value = Object.hasOwn(input, argument) ? input[argument] : undefined
  if (value === undefined) return 'no'
  const text = typeof value === 'string' ? value : canonicalJson(value)
  const compiled = compilePattern(pattern, budget)
  if (compiled === 'unknown') return compiled
  return compiled?.search(text, budget) ?? (text === pattern ? 'yes' : 'no')
}

function matchDomain(
  { allowlist = [], blocklist = [], urlArgument = 'url' }: NonNullable<PermissionRule['domain']>,
  input: JsonObject,
  facts: CallFacts | undefined,
): MatchAnswer {
  const url = Object.hasOwn(input, urlArgument) ? input[urlArgument] : undefined
  // Use the host that the fetching tool has parsed. Parsing the URL again could give a different host.
  const host =
    facts?.type === 'fetch' && urlArgument === 'url' ? facts.host : hostOf(typeof url === 'string' ? url : '')
  return host !== undefined && (isListed(host, allowlist) || isListed(host, blocklist)) ? 'yes' : 'no'
}
