import type { StepBlock, Usage } from '../content.ts'
import type { Failure, StepFinish } from '../events/recorded-event.ts'
import { failpoint } from '../failpoint.ts'
import { ROOT_LOOP, asToolCallId } from '../ids.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { ModelOutput } from '../ports/model.ts'
import type { LiveStep } from '../session/session-feed.ts'
import type { ActiveTurn } from '../session/state.ts'
import { buildModelRequest } from './build-model-request.ts'
import { decideAnswered } from './decide-step.ts'
import { DraftWriter } from './draft-writer.ts'
import { endTurn, nextQueuedTurn } from './end-turn.ts'
import { chooseCallId, toCallInput, unreadableInput } from './plan-calls.ts'
import { RunnerStopped, stopReasonOf, type RunDeps } from './turn-deps.ts'

const NO_FINISH: Failure = { code: 'model-cut-off', message: 'The model stopped answering before it had finished.' }

type StepEnd =
  | { readonly type: 'answered'; readonly finish: StepFinish; readonly usage: Usage }
  | { readonly type: 'failed'; readonly error: Failure }
  | { readonly type: 'stopped' }

/** One model call: recorded as started, streamed, recorded as answered or as ended without an answer. */
export async function runStep(turn: ActiveTurn, agent: AgentDefinition, deps: RunDeps): Promise<void> {
  const { session, fence, ids } = deps
  const stepId = ids.entryId()
  const { turnId } = turn
  const [started] = await session.commit(
    (state) => ({
      events: [
        { type: 'step.started', turnId, stepId, loopId: ROOT_LOOP, parentEntryId: state.head, model: agent.modelName },
      ],
    }),
    fence,
  )
  if (started === undefined) throw new Error('a started step is recorded')
  const step: LiveStep = { turnId, loopId: ROOT_LOOP, stepId, stepSeq: started.seq, blocks: [] }
  const drafts = new DraftWriter(deps, session.id, fence, step)
  session.feed.liveSteps.set(stepId, step)
  try {
    const end = await stream(step, turn, agent, drafts, deps)
    await recordEnd(step, end, agent, drafts, deps)
  } finally {
    drafts.close()
    session.feed.liveSteps.delete(stepId)
  }
}

/** Waits for the model or for the signal, whichever comes first: a model that ignores the signal holds up nobody. */
async function stream(
  step: LiveStep,
  turn: ActiveTurn,
  agent: AgentDefinition,
  drafts: DraftWriter,
  deps: RunDeps,
): Promise<StepEnd> {
  const { signal } = deps
  if (signal.aborted) return { type: 'stopped' }
  const stopped = Promise.withResolvers<StepEnd>()
  const onAbort = (): void => stopped.resolve({ type: 'stopped' })
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([consume(step, turn, agent, drafts, deps), stopped.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function consume(
  step: LiveStep,
  turn: ActiveTurn,
  agent: AgentDefinition,
  drafts: DraftWriter,
  deps: RunDeps,
): Promise<StepEnd> {
  const { session, signal } = deps
  try {
    const request = await buildModelRequest(turn, agent, deps)
    for await (const output of agent.model.stream(request, signal)) {
      if (signal.aborted) return { type: 'stopped' }
      switch (output.type) {
        case 'text':
        case 'thinking':
          if (output.text !== '') drafts.touch(appendText(step, output.type, output.text, session.feed))
          break
        case 'opaque':
          attachOpaque(step, output)
          break
        case 'tool-call':
          step.blocks.push(provisionalCall(output))
          break
        case 'finished':
          return { type: 'answered', finish: output.finish, usage: output.usage }
        case 'failed':
          return { type: 'failed', error: output.error }
      }
    }
    return signal.aborted ? { type: 'stopped' } : { type: 'failed', error: NO_FINISH }
  } catch (error) {
    deps.log({ level: 'error', message: 'model step broke', sessionId: session.id, turnId: turn.turnId, error })
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

/** Ids are chosen when the step is recorded; until then a call carries the model's own. */
function provisionalCall({ id, name, input, opaque }: ModelOutput & { type: 'tool-call' }): StepBlock {
  return {
    type: 'tool-call',
    toolCallId: asToolCallId(id),
    name,
    input: toCallInput(input) ?? unreadableInput(input),
    ...(opaque && { opaque }),
  }
}

async function recordEnd(
  step: LiveStep,
  end: StepEnd,
  agent: AgentDefinition,
  drafts: DraftWriter,
  deps: RunDeps,
): Promise<void> {
  const { session, fence } = deps
  if (end.type === 'stopped' && stopReasonOf(deps.signal) !== 'cancel') {
    await drafts.flush()
    throw new RunnerStopped()
  }
  drafts.close()
  await session.commit(async (state) => {
    const turn = state.turn
    if (turn?.step?.stepId !== step.stepId) throw new Error('the step that ended is not the open one')
    const context = { ...deps, agent }
    const clearDrafts = [step.stepId]
    if (end.type === 'answered' && turn.cancelled === undefined) {
      const blocks = await withFinalIds(step.blocks, deps)
      const names = blocks.flatMap((block) => (block.type === 'tool-call' ? [block.toolCallId] : []))
      return {
        events: decideAnswered(state, turn, { blocks, finish: end.finish, usage: end.usage }, context),
        names,
        clearDrafts,
      }
    }
    const ended =
      end.type === 'failed' && turn.cancelled === undefined
        ? endTurn(turn, { outcome: 'failed', error: end.error, openCalls: '', partial: step.blocks })
        : endTurn(turn, { outcome: 'cancelled', openCalls: '', partial: step.blocks })
    return { events: [...ended, ...nextQueuedTurn(state, deps, step.stepId)], clearDrafts }
  }, fence)
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
