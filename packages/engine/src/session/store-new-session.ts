import type { Recorded } from '../events/recorded-event.ts'
import { failpoint } from '../failpoint.ts'
import type { SessionId, UserId } from '../ids.ts'
import { evolve } from '../state/evolve.ts'
import { isWanted, type SessionState } from '../state/session-state.ts'
import { writeSnapshot } from '../state/snapshot.ts'
import { ShownSession } from '../views/session-list.ts'
import { quotaExceeded } from './append-conflicts.ts'
import type { Batch } from './batch.ts'
import { OpenSession, type SessionParts } from './open-session.ts'

interface NewSession {
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly batch: Batch
}

/** Records the first events of a session and opens it. */
export async function storeNewSession(
  { sessionId, userId, batch }: NewSession,
  parts: SessionParts,
): Promise<{ session: OpenSession; recorded: readonly Recorded[] }> {
  const { store, clock } = parts
  const at = clock.now()
  const recorded = batch.events.map((event, index): Recorded => ({ seq: index + 1, at, event }))
  let state: SessionState | undefined
  for (const item of recorded) state = evolve(state, item)
  if (state === undefined) throw new Error('a session is created with at least one event')
  await failpoint('create.before-append')
  const result = await store.append({
    sessionId,
    expectedSeq: 0,
    create: { userId },
    at,
    ...batch,
    wanted: isWanted(state),
    ...new ShownSession().listing(state),
    snapshot: writeSnapshot(state),
  })
  if (result.type === 'conflict')
    throw quotaExceeded(result.reason) ?? new Error(`a new session met a conflict: ${result.reason}`)
  await failpoint('create.after-append')
  const session = new OpenSession(parts, state, state.seq)
  // Only a reader of a turn that begins here needs them at once: a long history need not stay in memory.
  if (isWanted(state)) session.feed.publish(recorded)
  return { session, recorded }
}
