import type { Usage } from '../content.ts'
import type { Recorded } from '../events/recorded-event.ts'
import { ROOT_LOOP, type EntryId, type LoopId } from '../ids.ts'
import type { UsageRow } from '../ports/usage-store.ts'
import { isChild, loopsOf, type ActiveTurn, type AnyLoop, type SessionState } from './session-state.ts'

/** A compaction that ended with this error did not call a model. */
export const NOTHING_TO_COMPACT = 'nothing-to-compact'

/** The model call that an event ends, with its owners. `state` is the state before the event. */
export function usageRowOf(state: SessionState, { event }: Pick<Recorded, 'event'>): UsageRow | undefined {
  switch (event.type) {
    case 'step.answered':
      return event.by === 'engine' ? undefined : stepRow(state, event.stepId, event.usage)
    case 'step.ended':
      return stepRow(state, event.stepId, event.usage)
    case 'compaction.ended': {
      const { compaction, turn } = state
      if (compaction === undefined || event.error?.code === NOTHING_TO_COMPACT) return undefined
      const { compactionId, loopId, model = 'unknown' } = compaction
      const place = turn === undefined ? rootOf(state) : placeOf(state, turn, loopId)
      return row(state, { ...place, callId: compactionId, kind: 'compaction', model }, event.usage)
    }
    default:
      return undefined
  }
}

/** Only if the model had not answered yet: an answered step was already counted. */
function stepRow(state: SessionState, stepId: EntryId, usage: Usage | undefined): UsageRow | undefined {
  const { turn } = state
  const loop = turn && loopsOf(turn).find(({ step }) => step?.stepId === stepId)
  if (turn === undefined || loop?.step?.phase !== 'asking') return undefined
  const { model = 'unknown' } = loop.step
  return row(state, { ...placeOf(state, turn, loop.loopId), callId: stepId, kind: 'step', model }, usage)
}

function row(
  { userId, turn }: SessionState,
  call: Pick<UsageRow, 'callId' | 'kind' | 'model' | 'loops' | 'agent'>,
  usage: Usage | undefined,
): UsageRow {
  const keyId = turn?.settings.keyId
  return {
    ...call,
    userId,
    ...(keyId !== undefined && { keyId }),
    ...(turn && { turnId: turn.turnId }),
    ...(usage && { usage }),
  }
}

type Place = Pick<UsageRow, 'loops' | 'agent'>

const rootOf = ({ agent }: SessionState): Place => ({ loops: [ROOT_LOOP], agent })

function placeOf(state: SessionState, turn: ActiveTurn, loopId: LoopId): Place {
  const loops = loopsOf(turn)
  const own = loops.find((loop) => loop.loopId === loopId)
  if (own === undefined || !isChild(own)) return rootOf(state)
  const above: LoopId[] = []
  for (let loop: AnyLoop | undefined = own; loop !== undefined && isChild(loop);) {
    const { parentLoopId }: { parentLoopId: LoopId } = loop
    above.push(parentLoopId)
    loop = loops.find((candidate) => candidate.loopId === parentLoopId)
  }
  return { loops: [loopId, ...above], agent: own.agent }
}
