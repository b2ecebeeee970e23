import type { Verdict } from './policy.ts'

/** What the session's user said of a tool for the rest of the session. */
export type SessionOverride = 'allow' | 'reject'

/** An override answers a question that would be asked; it never beats a denial. A rejection covers whatever asks. */
export function coverVerdict(verdict: Verdict, override: SessionOverride | undefined): Verdict {
  if (verdict.decision !== 'ask' || override === undefined) return verdict
  if (override === 'reject') return { ...verdict, decision: 'deny', reason: 'session-override' }
  return verdict.isCoverable ? { ...verdict, decision: 'allow', reason: 'session-override' } : verdict
}
