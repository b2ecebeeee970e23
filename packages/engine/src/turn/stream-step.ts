import { MOST_CALLS, type StepBlock, type Usage } from '../content.ts'
import { withCost } from '../cost/price.ts'
import type { Failure } from '../events/recorded-event.ts'
import { failpoint } from '../failpoint.ts'
import { asToolCallId } from '../ids.ts'
import type { ModelOutput } from '../ports/model.ts'
import type { LiveStep, SessionFeed } from '../session/session-feed.ts'
import { buildModelRequest } from './build-model-request.ts'
import { isPassing, watchReads } from './passing-fault.ts'
import { completeInput, dropInputs, takeInput } from './live-inputs.ts'
import { toCallInput, unreadableInput } from './plan-calls.ts'
import type { StepEnd, StepRun } from './step-run.ts'
import type { RunDeps } from './turn-deps.ts'

const NO_FINISH: Failure = { code: 'model-cut-off', message: 'The model stopped answering before it had finished.' }

/** Text, thinking and calls take turns. */
const MOST_BLOCKS = 10_000

type TextOutput = ModelOutput & { readonly type: 'text' | 'thinking' }

/**
 * Waits for the model or for the signal, whichever comes first, so that a model that ignores the signal does not block
 * the turn. Rejects with a storage fault that passes: the runner asks the model again.
 */
export async function streamStep(run: StepRun, deps: RunDeps): Promise<StepEnd> {
  const { signal } = deps
  if (signal.aborted) return { type: 'stopped' }
  const stopped = Promise.withResolvers<StepEnd>()
  const onAbort = (): void => stopped.resolve({ type: 'stopped' })
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([consume(run, deps), stopped.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function consume({ round, step, drafts, exchange }: StepRun, deps: RunDeps): Promise<StepEnd> {
  const { session, signal } = deps
  const { model, modelName } = round.line[0]
  const priced = (usage: Usage): Usage => withCost(usage, modelName, deps.prices)
  try {
    const { request, check } = watchReads(await buildModelRequest(round, deps))
    exchange.begin(request)
    let calls = 0
    for await (const output of model.stream(request, signal)) {
      if (signal.aborted) return { type: 'stopped' }
      check()
      exchange.take(output)
      switch (output.type) {
        case 'text':
        case 'thinking':
          if (output.text !== '') drafts.touch(appendText(step, output, session.feed))
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
          calls += 1
          break
        case 'finished':
          return { type: 'answered', finish: output.finish, usage: priced(output.usage) }
        case 'failed':
          return { type: 'failed', error: output.error, ...(output.usage && { usage: priced(output.usage) }) }
      }
      if (Math.max(calls, step.inputs.length) > MOST_CALLS)
        return { type: 'failed', error: tooMany(`${MOST_CALLS} tool calls`) }
      if (step.blocks.length > MOST_BLOCKS) return { type: 'failed', error: tooMany(`${MOST_BLOCKS} parts`) }
    }
    return signal.aborted ? { type: 'stopped' } : { type: 'failed', error: NO_FINISH }
  } catch (error) {
    if (isPassing(error)) throw error
    deps.log({ level: 'error', message: 'a model step failed', sessionId: session.id, turnId: step.turnId, error })
    return { type: 'failed', error: { code: 'internal', message: 'The model call failed unexpectedly.' } }
  }
}

const tooMany = (most: string): Failure => ({
  code: 'model-error',
  message: `The model's answer has more than ${most}.`,
})

/** Returns the index of the block that has grown. */
function appendText(step: LiveStep, { type, text }: TextOutput, feed: SessionFeed): number {
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
