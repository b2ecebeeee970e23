import type { StepBlock, Usage } from '../content.ts'
import { withCost } from '../cost/price.ts'
import type { Failure, RecordedEvent } from '../events/recorded-event.ts'
import type { StepFinish } from '../events/step-events.ts'
import { failpoint } from '../failpoint.ts'
import { asToolCallId } from '../ids.ts'
import type { ModelOutput } from '../ports/model.ts'
import type { LiveStep } from '../session/session-feed.ts'
import { findLoop, isChild, type ActiveTurn, type AnyLoop, type SessionState } from '../state/session-state.ts'
import { buildModelRequest } from './build-model-request.ts'
import { canForce, compactLoop } from './compact-loop.ts'
import { decideAnswered } from './decide-step.ts'
import { DraftWriter } from './draft-writer.ts'
import { endChild } from './end-child.ts'
import { endTurn, nextQueuedTurn } from '../session/end-turn.ts'
import { prepareJudging, type Judging } from './judge-calls.ts'
import { completeInput, dropInputs, takeInput } from './live-inputs.ts'
import { chooseCallId, toCallInput, unreadableInput } from './plan-calls.ts'
import { decideStarts, readyCalls, type StartedCall } from './start-calls.ts'
import { stepStarted } from './step-started.ts'
import { RunnerStopped, isOwnEnd, stopReasonOf, type RunDeps } from './turn-deps.ts'

const TOO_LONG = 'context-too-long'
const NO_FINISH: Failure = { code: 'model-cut-off', message: 'The model stopped answering before it had finished.' }

type StepEnd =
  | { readonly type: 'answered'; readonly finish: StepFinish; readonly usage: Usage }
  | { readonly type: 'failed'; readonly error: Failure; readonly usage?: Usage }
  | { readonly type: 'stopped' }

/**
 * Performs one model call: records its start, unless it was recorded together with what came before, streams it, and
 * records the answer or the end without an answer. Returns the calls that were recorded as started.
 */
export async function runStep(
  turn: ActiveTurn,
  loop: AnyLoop,
  line: Judging['line'],
  deps: RunDeps,
): Promise<readonly StartedCall[]> {
  const { session, fence } = deps
  const { stepId, stepSeq } = loop.step ?? (await recordStart(turn, loop, line, deps))
  const step: LiveStep = { turnId: turn.turnId, loopId: loop.loopId, stepId, stepSeq, blocks: [], inputs: [] }
  const drafts = new DraftWriter(deps, session, fence, step)
  session.feed.liveSteps.set(stepId, step)
  try {
    const end = await stream(step, loop, line, drafts, deps)
    const isForced =
      end.type === 'failed' && end.error.code === TOO_LONG && (await forceCompaction(step, end, loop, line, deps))
    return isForced ? [] : await recordEnd(step, end, line, drafts, deps)
  } finally {
    drafts.close()
    session.feed.liveSteps.delete(stepId)
  }
}

async function recordStart(
  { turnId }: ActiveTurn,
  loop: AnyLoop,
  line: Judging['line'],
  { session, fence, ids }: RunDeps,
): Promise<Pick<LiveStep, 'stepId' | 'stepSeq'>> {
  const stepId = ids.entryId()
  const [started] = await session.commit((state) => {
    const reserved = session.feed.batches && { reservedBatches: session.feed.batches.wanted }
    return { events: [{ ...stepStarted(state, turnId, stepId, loop, line[0].modelName), ...reserved }] }
  }, fence)
  if (started === undefined) throw new Error('the start of the step was not recorded')
  return { stepId, stepSeq: started.seq }
}

/** Ends the step but not the turn: the model is asked again with a shorter context. At most once per turn. */
async function forceCompaction(
  step: LiveStep,
  { error, usage }: StepEnd & { readonly type: 'failed' },
  loop: AnyLoop,
  line: Judging['line'],
  deps: RunDeps,
): Promise<boolean> {
  const { session, fence } = deps
  const { turnId, stepId } = step
  if (!(await canForce(loop, line, deps))) return false
  await session.commit(({ batches }) => {
    const ended = { type: 'step.ended', turnId, stepId, outcome: 'failed', error, ...(usage && { usage }) } as const
    return { events: [{ ...ended, ...session.feed.closeBatches(batches.recorded) }], clearDrafts: [stepId] }
  }, fence)
  await compactLoop(loop, line, { trigger: 'forced', turnId }, deps)
  return true
}

/**
 * Waits for the model or for the signal, whichever comes first, so that a model that ignores the signal does not block
 * the turn.
 */
async function stream(
  step: LiveStep,
  loop: AnyLoop,
  line: Judging['line'],
  drafts: DraftWriter,
  deps: RunDeps,
): Promise<StepEnd> {
  const { signal } = deps
  if (signal.aborted) return { type: 'stopped' }
  const stopped = Promise.withResolvers<StepEnd>()
  const onAbort = (): void => stopped.resolve({ type: 'stopped' })
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([consume(step, loop, line, drafts, deps), stopped.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function consume(
  step: LiveStep,
  loop: AnyLoop,
  line: Judging['line'],
  drafts: DraftWriter,
  deps: RunDeps,
): Promise<StepEnd> {
  const { session, signal } = deps
  try {
    const request = await buildModelRequest(loop, line, deps)
    for await (const output of line[0].model.stream(request, signal)) {
      if (signal.aborted) return { type: 'stopped' }
      switch (output.type) {
        case 'text':
        case 'thinking':
          if (output.text !== '') drafts.touch(appendText(step, output.type, output.text, session.feed))
          break
        case 'opaque':
          attachOpaque(step, output)
          break
        case 'tool-input':
          await takeInput(step, output, deps)
          break
        case 'retry':
          dropInputs(step, output, session.feed)
          break
        case 'tool-call':
          step.blocks.push(provisionalCall(output, step))
          break
        case 'finished':
          return {
            type: 'answered',
            finish: output.finish,
            usage: withCost(output.usage, line[0].modelName, deps.prices),
          }
        case 'failed':
          return {
            type: 'failed',
            error: output.error,
            ...(output.usage && { usage: withCost(output.usage, line[0].modelName, deps.prices) }),
          }
      }
    }
    return signal.aborted ? { type: 'stopped' } : { type: 'failed', error: NO_FINISH }
  } catch (error) {
    deps.log({ level: 'error', message: 'a model step failed', sessionId: session.id, turnId: step.turnId, error })
    return { type: 'failed', error: { code: 'internal', message: 'The model call failed unexpectedly.' } }
  }
}

function appendText(step: LiveStep, type: 'text' | 'thinking', text: string, feed: RunDeps['session']['feed']): number {
  const { blocks, turnId, loopId, stepId, stepSeq } = step
  let block = blocks.length - 1
  const last = blocks[block]
  let offset = 0
  if (last?.type === type && (last.type === 'text' || last.opaque === undefined)) {
    offset = last.text.length
    blocks[block] = { type, text: last.text + text }
  } else {
    block = blocks.push({ type, text }) - 1
  }
  feed.publishDelta({
    type: type === 'text' ? 'text.delta' : 'thinking.delta',
    turnId,
    loopId,
    stepId,
    stepSeq,
    block,
    offset,
    text,
  })
  void failpoint('publish.delta')
  return block
}

function attachOpaque(step: LiveStep, output: ModelOutput & { type: 'opaque' }): void {
  const last = step.blocks.at(-1)
  if (last?.type === 'thinking' || last?.type === 'tool-call')
    step.blocks[step.blocks.length - 1] = { ...last, opaque: output.data }
  else step.blocks.push({ type: 'thinking', text: '', opaque: output.data })
}

/** Ids are assigned when the step is recorded, or when readers are told of the call. Until then: the model's id. */
function provisionalCall({ id, name, input, opaque }: ModelOutput & { type: 'tool-call' }, step: LiveStep): StepBlock {
  return {
    type: 'tool-call',
    toolCallId: completeInput(step, id) ?? asToolCallId(id),
    name,
    input: toCallInput(input) ?? unreadableInput(input),
    ...(opaque && { opaque }),
  }
}

async function recordEnd(
  step: LiveStep,
  end: StepEnd,
  line: Judging['line'],
  drafts: DraftWriter,
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
  const blocks = end.type === 'answered' ? await withFinalIds(step.blocks, deps) : step.blocks
  const calls = blocks.filter((block) => block.type === 'tool-call')
  const judging = end.type === 'answered' ? await prepareJudging(line, calls, deps) : undefined
  await session.commit((state) => {
    started = []
    const turn = state.turn
    const loop = turn && findLoop(turn, loopId)
    if (turn === undefined || loop?.step?.stepId !== stepId) throw new Error('the step that ended is not the open one')
    const shown = session.feed.closeBatches(state.batches.recorded)
    if (end.type === 'answered' && judging !== undefined && turn.cancelled === undefined) {
      const answer = { blocks, finish: end.finish, usage: end.usage, ...shown }
      const names = calls.map(({ toolCallId }) => toolCallId)
      const events = decideAnswered(state, turn, answer, { ...deps, loopId, judging })
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
  }, fence)
  return started
}

async function withFinalIds(blocks: readonly StepBlock[], deps: RunDeps): Promise<readonly StepBlock[]> {
  const wanted = blocks.flatMap((block) => (block.type === 'tool-call' ? [block.toolCallId] : []))
  if (wanted.length === 0) return blocks
  const taken = new Set(await deps.store.takenNames(deps.session.id, wanted))
  return blocks.map((block) => {
    if (block.type !== 'tool-call') return block
    const toolCallId = chooseCallId(block.toolCallId, taken, deps.ids)
    taken.add(toolCallId)
    return { ...block, toolCallId }
  })
}
