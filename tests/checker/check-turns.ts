import { ROOT_LOOP, type Recorded } from '@polylogue/engine'
import type { SessionHistory, Violation } from './history.ts'

/** I4: at most one turn is open and epochs only grow. I9: nothing of a turn or a step is recorded after its end. */
export function checkTurns({ stored, epochs }: SessionHistory): Violation[] {
  return [...checkOneTurn(stored), ...checkNothingAfterTheEnd(stored), ...checkEpochs(epochs)]
}

function checkOneTurn(stored: readonly Recorded[]): Violation[] {
  let open: string | undefined
  return stored.flatMap(({ seq, event }): Violation[] => {
    if (event.type === 'turn.started') {
      const before = open
      open = event.turnId
      return before === undefined
        ? []
        : [{ invariant: 'I4', message: `${event.turnId} starts at ${seq} while ${before} is open` }]
    }
    if (event.type === 'turn.ended' && event.turnId === open) open = undefined
    return []
  })
}

function checkNothingAfterTheEnd(stored: readonly Recorded[]): Violation[] {
  const live = new Set<string>()
  /** Each with its loop. */
  const liveSteps = new Map<string, string>()
  const liveLoops = new Set<string>([ROOT_LOOP])
  return stored.flatMap(({ seq, event }): Violation[] => {
    const late = (what: string): Violation[] => [
      { invariant: 'I9', message: `${event.type} of ${what} at ${seq}, which is not open` },
    ]
    if (event.type === 'turn.started') {
      live.add(event.turnId)
      if (event.inputId === undefined && event.parentEntryId !== undefined)
        liveSteps.set(event.parentEntryId, ROOT_LOOP)
      return []
    }
    if (event.type === 'input.admitted' || !('turnId' in event) || event.turnId === undefined) return []
    if (!live.has(event.turnId)) return late(event.turnId)
    if (event.type === 'turn.ended') {
      live.delete(event.turnId)
      if (liveSteps.size > 0) return [{ invariant: 'I9', message: `${event.turnId} ends at ${seq} with a step open` }]
      if (liveLoops.size > 1) return [{ invariant: 'I9', message: `${event.turnId} ends at ${seq} with a loop open` }]
    }
    if (event.type === 'loop.started') liveLoops.add(event.loopId)
    else if ('loopId' in event && event.loopId !== undefined && !liveLoops.has(event.loopId)) return late(event.loopId)
    if (event.type === 'loop.ended') {
      liveLoops.delete(event.loopId)
      if ([...liveSteps.values()].includes(event.loopId))
        return [{ invariant: 'I9', message: `${event.loopId} ends at ${seq} with a step open` }]
    }
    if (event.type === 'step.started') {
      if ([...liveSteps.values()].includes(event.loopId))
        return [{ invariant: 'I9', message: `${event.stepId} starts at ${seq} while another step is open` }]
      liveSteps.set(event.stepId, event.loopId)
    }
    if (event.type === 'step.answered' && !liveSteps.has(event.stepId)) return late(event.stepId)
    if (event.type === 'step.ended' && !liveSteps.delete(event.stepId)) return late(event.stepId)
    return []
  })
}

function checkEpochs(epochs: readonly number[]): Violation[] {
  return epochs.flatMap((epoch, index): Violation[] => {
    const before = epochs[index - 1]
    return before === undefined || epoch > before
      ? []
      : [{ invariant: 'I4', message: `epoch ${epoch} follows ${before}` }]
  })
}
