import type { LiveStep } from '../session/session-feed.ts'
import { canForce, compactLoop } from './compact-loop.ts'
import { DraftWriter } from './draft-writer.ts'
import type { TurnRound } from './loop-place.ts'
import { ExchangeRecorder } from './model-exchange.ts'
import { recordStepEnd } from './record-step-end.ts'
import type { StartedCall } from './start-calls.ts'
import type { StepEnd, StepRun } from './step-run.ts'
import { stepStarted } from './step-started.ts'
import { streamStep } from './stream-step.ts'
import type { RunDeps } from './turn-deps.ts'

const TOO_LONG = 'context-too-long'

/**
 * Performs one model call: records its start, unless it was recorded together with what came before, streams it, and
 * records the answer or the end without an answer. Returns the calls that were recorded as started.
 */
export async function runStep(round: TurnRound, deps: RunDeps): Promise<readonly StartedCall[]> {
  const { feed } = deps.session
  const { turnId, loop } = round
  const { stepId, stepSeq } = loop.step ?? (await recordStart(round, deps))
  const step: LiveStep = { turnId, loopId: loop.loopId, stepId, stepSeq, blocks: [], inputs: [] }
  const drafts = new DraftWriter(deps, step)
  const run: StepRun = { round, step, drafts, exchange: new ExchangeRecorder(deps.session.state) }
  feed.liveSteps.set(stepId, step)
  try {
    const end = await streamStep(run, deps)
    return (await forceCompaction(run, end, deps)) ? [] : await recordStepEnd(run, end, deps)
  } finally {
    drafts.close()
    feed.liveSteps.delete(stepId)
  }
}

async function recordStart(
  { turnId, loop, line: [{ modelName }] }: TurnRound,
  { session, fence, ids }: RunDeps,
): Promise<Pick<LiveStep, 'stepId' | 'stepSeq'>> {
  const stepId = ids.entryId()
  const [started] = await session.commit((state) => {
    const reserved = session.feed.batches && { reservedBatches: session.feed.batches.wanted }
    return { events: [{ ...stepStarted(state, { turnId, stepId, loop, model: modelName }), ...reserved }] }
  }, fence)
  if (started === undefined) throw new Error('the start of the step was not recorded')
  return { stepId, stepSeq: started.seq }
}

/**
 * If the context was too long, ends the step but not the turn: the model is asked again with a shorter context. At most
 * once per turn. Returns whether it did.
 */
async function forceCompaction({ round, step, exchange }: StepRun, end: StepEnd, deps: RunDeps): Promise<boolean> {
  if (end.type !== 'failed' || end.error.code !== TOO_LONG) return false
  const { session, fence } = deps
  const { turnId, stepId } = step
  const { error, usage } = end
  if (!(await canForce(round, deps))) return false
  await session.commit(({ batches }) => {
    const ended = { type: 'step.ended', turnId, stepId, outcome: 'failed', error, ...(usage && { usage }) } as const
    const events = [{ ...ended, ...session.feed.closeBatches(batches.recorded) }]
    return exchange.addTo({ events, clearDrafts: [stepId] }, stepId, deps.digest)
  }, fence)
  await compactLoop(round, 'forced', deps)
  return true
}
