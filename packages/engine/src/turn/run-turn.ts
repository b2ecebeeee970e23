import { isOverBudget } from './ask-about-budget.ts'
import { unreachable } from '../errors.ts'
import type { Failure, RecordedEvent } from '../events/recorded-event.ts'
import type { TurnOutcome } from '../events/turn-events.ts'
import { ROOT_LOOP, type ToolCallId } from '../ids.ts'
import {
  findLoop,
  isChild,
  isWaitingForAnswer,
  openCallsOf,
  waitingInChildren,
  type ActiveTurn,
} from '../state/session-state.ts'
import { compactIfDue } from './compact-loop.ts'
import { MOST_REPEATS, findCircle } from './find-circle.ts'
import { endTurn, nextQueuedTurn } from '../session/end-turn.ts'
import { lineOfAgents } from './loop-agents.ts'
import type { LoopPlace } from './loop-place.ts'
import { nextMove } from './next-move.ts'
import { noteSurroundings, addSurroundings } from './note-surroundings.ts'
import { recallMemories } from './recall-memories.ts'
import { recordChildEnd } from './record-child-end.ts'
import { runStep } from './run-step.ts'
import type { StartedCall } from './start-calls.ts'
import { settleToolCalls } from './settle-tool-calls.ts'
import { isOwnEnd, stopReasonOf, type RunDeps } from './turn-deps.ts'

const NO_OUTPUT = 'The model did not give an answer of the shape that was asked for.'

/** Runs the session's active turn until it ends or waits for a human. */
export async function runTurn(turn: ActiveTurn, deps: RunDeps): Promise<void> {
  await runLoop({ turnId: turn.turnId, loopId: ROOT_LOOP }, deps)
}

/** Runs one loop of the turn until it ends, or until nothing in it or below it can continue without a human. */
export async function runLoop(place: LoopPlace, deps: RunDeps): Promise<void> {
  const { turnId, loopId } = place
  const { session, signal } = deps
  let started: readonly StartedCall[] = []
  for (;;) {
    const { state } = session // folded afresh each round, so a crash or a pause resumes right here
    const turn = state.turn
    if (turn?.turnId !== turnId || turn.status !== 'running' || deps.isReplaced()) return
    if (isOwnEnd(stopReasonOf(signal))) return
    const loop = findLoop(turn, loopId)
    if (loop === undefined) return
    const line = lineOfAgents(state, loopId, deps)
    if (line === undefined) {
      const gone = isChild(loop) ? loop.agent : state.agent
      return end(place, stopped('failed', 'agent-gone', `The agent ${gone} is no longer offered.`), deps)
    }
    // A step that was recorded together with what came before it runs, or records its own end.
    const isBegun = loop.step?.phase === 'asking'
    // While the storage is down, only the signal knows about a cancel.
    const isCancelled = stopReasonOf(signal) === 'cancel' && !isBegun
    const move = isCancelled ? 'stop-cancelled' : isBegun ? 'ask-model' : nextMove(turn, line[0], loop)
    switch (move) {
      case 'ask-model':
        if (!isBegun) {
          if (loop.answeredSteps >= MOST_REPEATS) {
            const circle = findCircle((await session.context(loop)).messages())
            if (circle !== undefined) return end(place, circle, deps)
          }
          if (!isChild(loop)) await noteSurroundings(turn, line[0], deps)
          if (await isOverBudget(turn, loopId, deps)) break
          if (!isChild(loop)) await recallMemories(turn, deps)
          await compactIfDue({ turnId, loop, line: await addSurroundings(line, deps) }, deps)
          if (stopReasonOf(signal) === 'cancel') break
        }
        started = await runStep({ turnId, loop, line: await addSurroundings(line, deps) }, deps)
        break
      case 'settle-tool-calls':
        await settleToolCalls({ place: { ...place, line }, started, runLoop }, deps)
        started = []
        break
      case 'wait-for-human':
        if (isChild(loop) || (await pause(deps, turn))) return
        break
      case 'stop-cancelled':
        // When the agent's own loop ends, the turn and all other loops end too.
        return isChild(loop) ? undefined : end(place, { outcome: 'cancelled' }, deps)
      case 'stop-at-budget':
        if (isChild(loop)) return
        return end(place, stopped('step-limit', 'budget', turn.budget.stopped ?? ''), deps)
      case 'give-output':
        return end(place, { outcome: 'finished' }, deps)
      case 'stop-without-output':
        return end(place, stopped('failed', 'output-schema-violation', NO_OUTPUT), deps)
      case 'stop-at-limit':
        return end(
          place,
          stopped('step-limit', 'step-limit', `The agent stopped after ${line[0].maxSteps} steps.`),
          deps,
        )
      default:
        return unreachable(move)
    }
  }
}

/** Pauses the turn, unless an answer arrived in the meantime. Returns whether the turn is paused. */
async function pause(deps: RunDeps, { turnId }: ActiveTurn): Promise<boolean> {
  const paused = await deps.session.commit((state) => {
    const isStillWaiting =
      state.turn?.turnId === turnId && nextMove(state.turn, { maxSteps: Infinity }) === 'wait-for-human'
    return { events: isStillWaiting && state.turn !== undefined ? [pausedOf(state.turn)] : [] }
  }, deps.fence)
  return paused.length > 0
}

function pausedOf(turn: ActiveTurn): RecordedEvent {
  const { turnId } = turn
  if (waitingInChildren(turn).length === 0) return { type: 'turn.paused', turnId }
  const waiting = openCallsOf(turn).filter(isWaitingForAnswer)
  const calls = waiting.map(({ toolCallId, name, input }) => ({ toolCallId, name, input }))
  return { type: 'turn.paused', turnId, calls }
}

interface LoopEnd {
  readonly outcome: TurnOutcome
  readonly error?: Failure
}

const stopped = (outcome: TurnOutcome, code: string, message: string): LoopEnd => ({
  outcome,
  error: { code, message },
})

async function end({ turnId, loopId }: LoopPlace, how: LoopEnd, deps: RunDeps): Promise<void> {
  if (loopId !== ROOT_LOOP) return recordChildEnd({ turnId, loopId }, how, deps)
  await deps.session.commit((state) => {
    if (state.turn?.turnId !== turnId) return { events: [] }
    const outputOf = (id: ToolCallId): string => deps.session.feed.outputOf(id)
    const ended = endTurn(state.turn, { ...how, openCalls: 'Tool call cancelled', outputOf })
    return { events: [...ended, ...nextQueuedTurn(state, deps)] }
  }, deps.fence)
}
