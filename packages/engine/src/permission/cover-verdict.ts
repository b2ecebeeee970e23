import type { Verdict } from './policy.ts'

/** The user's answer about a tool for the rest of the session. */
export type SessionOverride = 'allow' | 'reject'

/**
 * An override answers an approval request and never overrules a denial. A rejection applies to every call that would
 * ask.
 */
export function coverVerdict(verdict: Verdict, override: SessionOverride | undefined): Verdict {
  if (verdict.decision !== 'ask' || override === undefined) return verdict
  if (override === 'reject') return { ...verdict, decision: 'deny', reason: 'session-override' }
  return verdict.isCoverable ? { ...verdict, decision: 'allow', reason: 'session-override' } : verdict
}
