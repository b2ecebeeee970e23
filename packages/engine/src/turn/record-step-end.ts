import type { StepBlock, ToolCallPart } from '../content.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'
import { endTurn, nextQueuedTurn } from '../session/end-turn.ts'
import type { Batch } from '../session/batch.ts'
import type { LiveStep } from '../session/session-feed.ts'
import { findLoop, isChild, type SessionState } from '../state/session-state.ts'
import { decideAnswered } from './decide-step.ts'
import { endChild } from './end-child.ts'
import { chooseCallId } from './plan-calls.ts'
import type { Judging } from './judge-calls.ts'
import { prepareJudging } from './prepare-judging.ts'
import { decideStarts, readyCalls, type StartedCall } from './start-calls.ts'
import type { StepEnd, StepRun } from './step-run.ts'
import { RunnerStopped, isOwnEnd, stopReasonOf, type RunDeps } from './turn-deps.ts'

/** Records the answer, or the end without an answer. Returns the calls that were recorded as started. */
export async function recordStepEnd(
  { round: { line }, step, drafts, exchange }: StepRun,
  end: StepEnd,
  deps: RunDeps,
): Promise<readonly StartedCall[]> {
  const { session, fence } = deps
  const stop = end.type === 'stopped' ? stopReasonOf(deps.signal) : undefined
  if (end.type === 'stopped' && stop !== 'cancel' && !isOwnEnd(stop)) {
    await drafts.flush()
    throw new RunnerStopped()
  }
  // Buffered deltas need batch numbers that are reserved durably, so that a crash cannot reuse them.
  if (session.feed.batches?.isShort === true) await drafts.flush()
  drafts.close()
  const { turnId, stepId, loopId } = step
  let started: readonly StartedCall[] = []
  const clearDrafts = [stepId]
  const prepare = async (): Promise<PreparedAnswer | undefined> => {
    if (end.type !== 'answered') return undefined
    const blocks = await withFinalIds(step, deps)
    const calls = blocks.filter((block) => block.type === 'tool-call')
    return { blocks, calls, judging: await prepareJudging(line, calls, deps) }
  }
  let answer = await prepare()
  const build = (state: SessionState): Batch => {
    started = []
    const turn = state.turn
    const loop = turn && findLoop(turn, loopId)
    if (turn === undefined || loop?.step?.stepId !== stepId) throw new Error('the step that ended is not the open one')
    const shown = session.feed.closeBatches(state.batches.recorded)
    if (end.type === 'answered' && answer !== undefined && turn.cancelled === undefined) {
      const { blocks, calls, judging } = answer
      const answered = { blocks, finish: end.finish, usage: end.usage, ...shown }
      const names = calls.map(({ toolCallId }) => toolCallId)
      const events = decideAnswered(state, answered, { ...deps, loopId, judging })
      if (calls.length === 0) return { events, clearDrafts }
      const follow = (after: SessionState): readonly RecordedEvent[] => {
        if (deps.signal.aborted) return []
        const starts = decideStarts(after, readyCalls(after, { turnId, loopId }), {
          place: { turnId, loopId, line },
          judging,
        })
        started = starts.started
        return starts.events
      }
      return { events, names, clearDrafts, follow }
    }
    // An answer that arrives after a cancel still counts as usage.
    const took = end.type !== 'stopped' && end.usage && { usage: end.usage }
    const ended =
      end.type === 'failed' && turn.cancelled === undefined
        ? ({ outcome: 'failed', error: end.error } as const)
        : ({ outcome: 'cancelled' } as const)
    if (isChild(loop)) {
      const outcome = stop === 'deadline' ? stop : ended.outcome
      return {
        events: endChild(turn, loop, { ...ended, outcome, partial: step.blocks, ...took, ...shown }),
        clearDrafts,
      }
    }
    const events = endTurn(turn, { ...ended, openCalls: '', partialOf: () => step.blocks, ...took, ...shown })
    return { events: [...events, ...nextQueuedTurn(state, deps, stepId)], clearDrafts }
  }
  let isRetry = false
  await session.commit(async (state) => {
    // The steps of sub-agents end side by side: another one may have been given an id of these calls in the meantime.
    if (isRetry) answer = await prepare()
    isRetry = true
    return exchange.addTo(build(state), stepId, deps.digest)
  }, fence)
  return started
}

interface PreparedAnswer {
  readonly blocks: readonly StepBlock[]
  readonly calls: readonly ToolCallPart[]
  readonly judging: Judging
}

async function withFinalIds(step: LiveStep, { store, session, ids }: RunDeps): Promise<readonly StepBlock[]> {
  const wanted = step.blocks.flatMap((block) => (block.type === 'tool-call' ? [block.toolCallId] : []))
  if (wanted.length === 0) return step.blocks
  const taken = new Set<string>(await store.takenNames(session.id, wanted))
  for (const other of session.feed.liveSteps.values()) {
    if (other !== step) for (const { toolCallId } of other.inputs) taken.add(toolCallId)
  }
  return step.blocks.map((block) => {
    if (block.type !== 'tool-call') return block
    const toolCallId = chooseCallId(block.toolCallId, taken, ids)
    taken.add(toolCallId)
    return { ...block, toolCallId }
  })
}
