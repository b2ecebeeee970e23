import { startTurnBudget } from '../cost/budget.ts'
import type { LoopStarted } from '../events/loop-events.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { StepStarted } from '../events/step-events.ts'
import type { TurnStarted } from '../events/turn-events.ts'
import { ROOT_LOOP, type EntryId } from '../ids.ts'
import type { ActiveStep, ActiveTurn, ChildLoop, SessionState } from './session-state.ts'

export function withStartedTurn(state: SessionState, event: TurnStarted, { seq, at }: Recorded): SessionState {
  return {
    ...state,
    head: event.inputId ?? state.head,
    queue: state.queue.filter((input) => input.inputId !== event.inputId),
    seededCalls: [],
    turn: {
      turnId: event.turnId,
      status: 'running',
      recovery: event.recovery,
      takeovers: 0,
      answeredSteps: 0,
      hasRecalled: false,
      hasAsked: false,
      isForced: false,
      settings: state.queue.find((input) => input.inputId === event.inputId)?.settings ?? {},
      vainOutputs: 0,
      budget: startTurnBudget(at),
      children: [],
      step: event.inputId === undefined && state.head !== undefined ? seededStep(state, seq) : undefined,
    },
  }
}

/** A turn without input continues the seed: its open calls wait for the client that declared them. */
function seededStep(state: SessionState, seq: number): ActiveStep | undefined {
  if (state.head === undefined) return undefined
  return { stepId: state.head, loopId: ROOT_LOOP, stepSeq: seq, phase: 'settling', calls: state.seededCalls }
}

export function withTurn(state: SessionState, change: (turn: ActiveTurn) => ActiveTurn): SessionState {
  if (state.turn === undefined) throw new Error('this event needs an active turn')
  return { ...state, turn: change(state.turn) }
}

export function withStep(state: SessionState, event: StepStarted, seq: number): SessionState {
  const { stepId, loopId, model } = event
  const step: ActiveStep = { stepId, loopId, stepSeq: seq, phase: 'asking', model, calls: [] }
  if (loopId === ROOT_LOOP) {
    return { ...withTurn(state, (turn) => ({ ...turn, step, hasAsked: true })), head: stepId }
  }
  return withTurn(state, (turn) => ({
    ...turn,
    children: turn.children.map((child) => (child.loopId === loopId ? { ...child, step, head: stepId } : child)),
  }))
}

export function withChildStep(turn: ActiveTurn, stepId: EntryId, change: (child: ChildLoop) => ChildLoop): ActiveTurn {
  const children = turn.children.map((child) => (child.step?.stepId === stepId ? change(child) : child))
  return { ...turn, children }
}

export function childLoop(event: LoopStarted, { seq, at }: Recorded): ChildLoop {
  const { loopId, parentToolCallId, parentLoopId, agent, depth } = event
  return { loopId, parentToolCallId, parentLoopId, agent, depth, startedAt: at, startSeq: seq, answeredSteps: 0 }
}
