import type { Verdict } from './policy.ts'

const STRICTNESS: { readonly [decision in Verdict['decision']]: number } = { allow: 0, ask: 1, deny: 2, disabled: 3 }

export function isStricter(a: Verdict['decision'], b: Verdict['decision']): boolean {
  return STRICTNESS[a] > STRICTNESS[b]
}

/**
 * Combines the verdicts of a sub-agent and all of its ancestors on one call. *Always allow* covers the call only if it
 * covers every verdict that asks.
 */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  const [first, ...others] = verdicts
  if (first === undefined) return { decision: 'deny', reason: 'no-policy', isCoverable: false }
  const worst = others.reduce((worse, next) => (isStricter(next.decision, worse.decision) ? next : worse), first)
  const isCoverable = verdicts.every((verdict) => verdict.decision !== 'ask' || verdict.isCoverable)
  const needsPerson = verdicts.some((verdict) => verdict.needsPerson === true)
  return { ...worst, isCoverable: worst.decision === 'ask' && isCoverable, ...(needsPerson && { needsPerson }) }
}
