import { textOf, type StepBlock, type Usage } from '../content.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import type { StepFinish } from '../events/step-events.ts'
import type { TurnOutcome } from '../events/turn-events.ts'
import type { DecideContext } from '../session/decision.ts'
import { ROOT_LOOP, type LoopId } from '../ids.ts'
import { findLoop, isChild, type SessionState } from '../state/session-state.ts'
import { closeChild } from './end-child.ts'
import { nextQueuedTurn } from '../session/end-turn.ts'
import type { Judging } from './judge-calls.ts'
import { planCalls } from './plan-calls.ts'

export interface StepAnswer {
  readonly blocks: readonly StepBlock[]
  readonly finish: StepFinish
  readonly usage: Usage
  readonly liveBatches?: number
}

export interface StepContext extends Pick<DecideContext, 'recovery'> {
  /** Default: the agent's own loop. */
  readonly loopId?: LoopId
  readonly judging: Judging
}

/**
 * Returns everything that follows from a model's answer without running anything: the answer, the approvals to request,
 * the refused calls and, if nothing is left to do, the end of the step, the sub-agent or the turn, or a pause.
 */
export function decideAnswered(state: SessionState, answer: StepAnswer, context: StepContext): RecordedEvent[] {
  const { loopId = ROOT_LOOP, judging } = context
  const { turn } = state
  const loop = turn && findLoop(turn, loopId)
  if (turn === undefined || loop?.step === undefined) throw new Error('an answer needs an open step')
  const { turnId } = turn
  const { stepId } = loop.step
  const plan = planCalls({ turnId, blocks: answer.blocks }, state, judging)
  const events: RecordedEvent[] = [
    {
      type: 'step.answered',
      turnId,
      stepId,
      ...answer,
      routes: plan.routes,
      ...(Object.keys(plan.kinds).length > 0 && { kinds: plan.kinds }),
      ...(Object.keys(plan.inspections).length > 0 && { inspections: plan.inspections }),
    },
    ...plan.events,
  ]
  const calls = Object.keys(plan.routes)
  const settled = plan.events.filter((event) => event.type === 'tool-call.settled').length
  const asked = plan.events.length - settled
  const delegated = calls.filter((id) => plan.routes[id] === 'client' || plan.routes[id] === 'question').length
  if (settled === calls.length) events.push({ type: 'step.ended', turnId, stepId, outcome: 'completed' })
  // In a turn with sub-agents, only the runner knows whether the turn waits, because other sub-agents may be working.
  else if (settled + asked + delegated === calls.length && !isChild(loop)) events.push({ type: 'turn.paused', turnId })
  if (calls.length > 0) return events
  // A turn with an `outputSchema` continues until it has the value. The runner checks its limits.
  if (turn.settings.outputSchema !== undefined && !isChild(loop) && answer.finish !== 'refused') return events
  const outcome = outcomeOf(answer.finish)
  if (isChild(loop))
    return [...events, ...closeChild(turn, loop, { outcome, said: textOf(answer.blocks) || (loop.said ?? '') })]
  return [...events, { type: 'turn.ended', turnId, outcome }, ...nextQueuedTurn(state, context, stepId)]
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
