import { lockServer, starveServer } from './lock-server.ts'
import { starveCheckpoints } from './starve-checkpoints.ts'
import { MANNERS, type LockCase, waitBehindLock } from './wait-behind-lock.ts'

export interface LockPlan {
  /** In every manner. */
  readonly waits: readonly Omit<LockCase, 'manner'>[]
  readonly servers: readonly { readonly holdMs: number; readonly isStopped: boolean }[]
  readonly turnsBehindReader: { readonly store: number; readonly server: number }
}

/** The cases with a reader: one store and one server. */
const READERS = 2

/** Runs all at once, because they mostly wait. */
export async function holdAll(plan: LockPlan): Promise<{ readonly count: number; readonly failed: readonly string[] }> {
  const { waits, servers, turnsBehindReader } = plan
  const outcomes = await Promise.all([
    ...waits.flatMap((wait) => MANNERS.map((manner) => waitBehindLock({ ...wait, manner }))),
    ...servers.map(({ holdMs, isStopped }) => lockServer(holdMs, { isStopped })),
    starveCheckpoints(turnsBehindReader.store),
    starveServer(turnsBehindReader.server),
  ])
  const count = waits.reduce((sum, { stores: each }) => sum + each * MANNERS.length, 0) + servers.length + READERS
  return { count, failed: outcomes.flat() }
}
