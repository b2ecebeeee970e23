import type { EngineParts } from '../engine-parts.ts'
import type { TurnId } from '../ids.ts'
import type { Fence } from '../ports/event-store.ts'
import type { OpenSession } from '../session/open-session.ts'
import { loopsOf } from '../state/session-state.ts'
import { decideTakeover, endCutCompaction } from './decide-takeover.ts'

/** A cancellation that could not be recorded because the storage was down. */
export interface OwedCancel {
  readonly turnId: TurnId
  readonly reason: string
}

interface Repair {
  readonly parts: EngineParts
  /** The process that ran the turn died. */
  readonly isFromDead: boolean
  /** The turn cannot go on elsewhere: it ends as interrupted. */
  readonly isAbandoned: boolean
  owedCancel(): OwedCancel | undefined
}

/** Records what the former runner of the session left open. */
export async function repairTurn(session: OpenSession, fence: Fence, repair: Repair): Promise<void> {
  const { parts, isFromDead, isAbandoned } = repair
  const drafts = await parts.store.readDrafts(session.id)
  await session.commit((state) => {
    const { turn: left } = state
    const cut = endCutCompaction(state)
    if (left?.status !== 'running') return { events: cut }
    const owed = repair.owedCancel()
    const turn = {
      ...left,
      ...(isAbandoned && { recovery: 'interrupt' as const }),
      ...(owed?.turnId === left.turnId && { cancelled: left.cancelled ?? owed.reason }),
    }
    const clearDrafts = loopsOf(turn).flatMap(({ step }) => (step?.phase === 'asking' ? [step.stepId] : []))
    return { events: [...cut, ...decideTakeover({ ...state, turn }, drafts, { ...parts, isFromDead })], clearDrafts }
  }, fence)
}
