import type { CompactionEnded, CompactionStarted } from '../events/loop-events.ts'
import { ROOT_LOOP } from '../ids.ts'
import type { ActiveCompaction, SessionState } from './session-state.ts'

/** A compaction was successful if it leaves at most this share of the context. */
const WORTH_IT = 0.9

export function startCompaction(state: SessionState, event: CompactionStarted): SessionState {
  const { compactionId, loopId = ROOT_LOOP, tokensBefore, trigger, model } = event
  const isOwn = loopId === ROOT_LOOP
  return {
    ...state,
    compaction: { compactionId, loopId, tokensBefore, model },
    ...(trigger === 'manual' && { isCompactionWanted: false }),
    ...(isOwn && { head: compactionId }),
    ...(trigger === 'forced' && state.turn && { turn: { ...state.turn, isForced: true } }),
  }
}

export function endCompaction(state: SessionState, event: CompactionEnded): SessionState {
  const { compaction, ...rest } = state
  if (hasHelped(event, compaction)) return { ...rest, vainCompactions: 0 }
  // A compaction that a crash interrupted does not count as unsuccessful, nor does one that a user requested.
  if (event.error?.code === 'interrupted' || event.turnId === undefined) return rest
  return { ...rest, vainCompactions: state.vainCompactions + 1 }
}

/** A compaction that leaves nearly the whole context did not help. */
function hasHelped({ outcome, tokensAfter }: CompactionEnded, compaction: ActiveCompaction | undefined): boolean {
  if (outcome === 'failed' || tokensAfter === undefined || compaction === undefined) return false
  return tokensAfter <= compaction.tokensBefore * WORTH_IT
}
