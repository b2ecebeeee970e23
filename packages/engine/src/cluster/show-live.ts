import type { CallInput, LiveBatch, ToolProgress } from '../events/live-event.ts'
import { isChild, loopsOf, openCallsOf } from '../state/session-state.ts'
import { ROOT_LOOP, type EntryId } from '../ids.ts'
import type { SharedLive } from '../ports/live-bus.ts'
import type { OpenSession } from '../session/open-session.ts'
import type { LiveStep } from '../session/session-feed.ts'

/** `gap`: something before it is missing, so nothing was shown. */
export type Shown = 'shown' | 'known' | 'gap'

export interface ShownMessage {
  readonly live: SharedLive
  /** It was sent again because something was missed. */
  readonly isPast?: boolean
}

/**
 * Shows readers what a runner in another process streams, as if it streamed here. The log of the session has been read up
 * to the start of the step.
 */
export function showLive(session: OpenSession, { live, isPast = false }: ShownMessage): Shown {
  const { feed } = session
  switch (live.type) {
    case 'text.delta':
    case 'thinking.delta':
      return showText(session, live, isPast)
    case 'tool-call.input':
      return showInput(session, live)
    case 'tool-call.progress':
      return showProgress(session, live, isPast)
    case 'step.retrying':
      for (const call of feed.liveSteps.get(live.stepId)?.inputs ?? []) call.isComplete = true
      feed.publishInput(live)
      return 'shown'
  }
}

function showText(session: OpenSession, delta: LiveBatch, isPast: boolean): Shown {
  const { feed } = session
  const step = findStep(session, delta.stepId)
  if (step === undefined) return 'known'
  const { block, offset, text, number } = delta
  if (!isPast && number > (feed.batches?.count ?? number) + 1) return 'gap'
  const kind = delta.type === 'text.delta' ? 'text' : 'thinking'
  // Blocks of other kinds are not sent: there may be a gap before this one.
  while (step.blocks.length <= block) step.blocks.push({ type: kind, text: '' })
  const known = step.blocks[block]
  const have = known?.type === 'tool-call' ? 0 : (known?.text.length ?? 0)
  if (offset > have) return 'gap'
  if (offset + text.length <= have) return 'known'
  const added = text.slice(have - offset)
  const before = known?.type === kind ? known.text : ''
  step.blocks[block] = { type: kind, text: before + added }
  feed.liveSteps.set(step.stepId, step)
  feed.publishShared({ ...delta, offset: have, text: added })
  return 'shown'
}

/** The runner keeps the end of long output only, so what it sends again may begin after a gap. */
function showProgress({ state, feed }: OpenSession, progress: ToolProgress, isPast: boolean): Shown {
  const { toolCallId, offset, text } = progress
  if (!openCallsOf(state.turn).some((call) => call.toolCallId === toolCallId)) return 'known'
  const have = feed.outputEnd(toolCallId)
  if (offset > have && !isPast) return 'gap'
  if (offset + text.length <= have) return 'known'
  const from = Math.max(have, offset)
  feed.publishProgress({ ...progress, offset: from, text: text.slice(from - offset) })
  return 'shown'
}

function showInput(session: OpenSession, input: CallInput): Shown {
  const { feed } = session
  const step = findStep(session, input.stepId)
  if (step === undefined) return 'known'
  const { toolCallId, name, offset, text } = input
  let call = step.inputs.find((begun) => begun.toolCallId === toolCallId)
  const have = call?.text.length ?? 0
  if (offset > have) return 'gap'
  if (call?.isComplete === true || offset + text.length <= have) return 'known'
  if (call === undefined) {
    call = { modelId: toolCallId, toolCallId, name, text: '', isComplete: false }
    step.inputs.push(call)
  }
  const added = text.slice(have - offset)
  call.text += added
  feed.liveSteps.set(step.stepId, step)
  feed.publishInput({ ...input, offset: have, text: added })
  return 'shown'
}

/** The step while its model answers. `undefined`: it has not begun or has ended. */
function findStep({ state: { turn }, feed }: OpenSession, stepId: EntryId): LiveStep | undefined {
  const known = feed.liveSteps.get(stepId)
  if (known !== undefined || turn === undefined) return known
  const loop = loopsOf(turn).find(({ step }) => step?.stepId === stepId)
  if (loop?.step?.phase !== 'asking') return undefined
  const loopId = isChild(loop) ? loop.loopId : ROOT_LOOP
  return { turnId: turn.turnId, loopId, stepId, stepSeq: loop.step.stepSeq, blocks: [], inputs: [] }
}
