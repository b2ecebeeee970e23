import { unreachable } from '../errors.ts'
import type { Failure, TurnOutcome } from '../events/recorded-event.ts'
import type { ActiveTurn } from '../session/state.ts'
import { endTurn, nextQueuedTurn } from './end-turn.ts'
import { nextMove } from './next-move.ts'
import { runStep } from './run-step.ts'
import { settleToolCalls } from './settle-tool-calls.ts'
import { stopReasonOf, type RunDeps } from './turn-deps.ts'

/** Carries the session's active turn on until it ends or waits for a human. */
export async function runTurn(turn: ActiveTurn, deps: RunDeps): Promise<void> {
  const { session, agents } = deps
  const { turnId } = turn
  for (;;) {
    const { state } = session // folded afresh each round, so a crash or a pause resumes right here
    const current = state.turn
    if (current?.turnId !== turnId || current.status !== 'running') return
    const agent = agents.find(state.agent)
    if (agent === undefined) {
      return end(deps, turnId, 'failed', {
        code: 'agent-gone',
        message: `The agent ${state.agent} is no longer offered.`,
      })
    }
    // A cancel that could not be recorded is known to the signal alone.
    const move = stopReasonOf(deps.signal) === 'cancel' ? 'stop-cancelled' : nextMove(current, agent)
    switch (move) {
      case 'ask-model':
        await runStep(current, agent, deps)
        break
      case 'settle-tool-calls':
        await settleToolCalls(turnId, agent, deps)
        break
      case 'wait-for-human':
        return pause(deps, current)
      case 'stop-cancelled':
        return end(deps, turnId, 'cancelled')
      case 'stop-at-limit':
        return end(deps, turnId, 'step-limit', {
          code: 'step-limit',
          message: `The agent stopped after ${agent.maxSteps} steps.`,
        })
      default:
        return unreachable(move)
    }
  }
}

/** An answer may have arrived in the meantime: then the turn goes on instead. */
async function pause(deps: RunDeps, turn: ActiveTurn): Promise<void> {
  const { turnId } = turn
  const paused = await deps.session.commit((state) => {
    const isStillWaiting =
      state.turn?.turnId === turnId && nextMove(state.turn, { maxSteps: Infinity }) === 'wait-for-human'
    return { events: isStillWaiting ? [{ type: 'turn.paused', turnId }] : [] }
  }, deps.fence)
  if (paused.length === 0) await runTurn(turn, deps)
}

async function end(deps: RunDeps, turnId: ActiveTurn['turnId'], outcome: TurnOutcome, error?: Failure): Promise<void> {
  await deps.session.commit((state) => {
    if (state.turn?.turnId !== turnId) return { events: [] }
    const ended = endTurn(state.turn, { outcome, openCalls: 'Tool call cancelled', ...(error && { error }) })
    return { events: [...ended, ...nextQueuedTurn(state, deps)] }
  }, deps.fence)
}
