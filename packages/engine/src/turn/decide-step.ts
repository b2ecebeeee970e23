import type { StepBlock, Usage } from '../content.ts'
import type { RecordedEvent, StepFinish, TurnOutcome } from '../events/recorded-event.ts'
import type { DecideContext } from '../session/decision.ts'
import type { ActiveTurn, SessionState } from '../session/state.ts'
import { nextQueuedTurn } from './end-turn.ts'
import { planCalls } from './plan-calls.ts'

export interface StepAnswer {
  readonly blocks: readonly StepBlock[]
  readonly finish: StepFinish
  readonly usage: Usage
}

/**
 * Everything that follows from a model's answer without running anything: the answer itself, approvals to ask for,
 * refused calls, and, where nothing is left to do, the end of the step, the turn, or its pause.
 */
export function decideAnswered(
  state: SessionState,
  turn: ActiveTurn,
  answer: StepAnswer,
  context: DecideContext,
): RecordedEvent[] {
  const step = turn.step
  if (step === undefined) throw new Error('an answer needs an open step')
  const { turnId } = turn
  const { stepId } = step
  const plan = planCalls(state, turnId, answer.blocks, context)
  const events: RecordedEvent[] = [
    { type: 'step.answered', turnId, stepId, ...answer, routes: plan.routes },
    ...plan.events,
  ]
  const calls = Object.keys(plan.routes)
  const settled = plan.events.filter((event) => event.type === 'tool-call.settled').length
  const asked = plan.events.length - settled
  const delegated = calls.filter((id) => plan.routes[id] === 'client').length
  if (settled === calls.length) events.push({ type: 'step.ended', turnId, stepId, outcome: 'completed' })
  else if (settled + asked + delegated === calls.length) events.push({ type: 'turn.paused', turnId })
  if (calls.length === 0) {
    events.push(
      { type: 'turn.ended', turnId, outcome: outcomeOf(answer.finish) },
      ...nextQueuedTurn(state, context, stepId),
    )
  }
  return events
}

function outcomeOf(finish: StepFinish): TurnOutcome {
  switch (finish) {
    case 'stop':
    case 'tool-calls':
      return 'finished'
    case 'token-limit':
      return 'token-limit'
    case 'refused':
      return 'refused'
  }
}
