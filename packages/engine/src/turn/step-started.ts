import type { StepStarted } from '../events/step-events.ts'
import type { EntryId, TurnId } from '../ids.ts'
import { isChild, type AnyLoop, type SessionState } from '../state/session-state.ts'

interface NewStep {
  readonly turnId: TurnId
  readonly stepId: EntryId
  readonly loop: AnyLoop
  readonly model: string
}

export function stepStarted(state: SessionState, { turnId, stepId, loop, model }: NewStep): StepStarted {
  const { loopId } = loop
  const started = { type: 'step.started', turnId, stepId, loopId } as const
  if (!isChild(loop)) return { ...started, parentEntryId: state.head, model }
  const head = state.turn?.children.find((child) => child.loopId === loopId)?.head
  return { ...started, parentToolCallId: loop.parentToolCallId, ...(head && { parentEntryId: head }), model }
}
