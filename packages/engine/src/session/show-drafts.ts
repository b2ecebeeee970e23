import type { Draft } from '../ports/event-store.ts'
import { isChild, loopsOf } from '../state/session-state.ts'
import { ROOT_LOOP } from '../ids.ts'
import type { OpenSession } from './open-session.ts'
import type { LiveStep } from './session-feed.ts'

/** Shows readers the text that a runner in another process has saved so far, as if the step streamed here. */
export function showDrafts({ state: { turn }, feed }: OpenSession, drafts: readonly Draft[]): void {
  if (turn === undefined) return
  for (const loop of loopsOf(turn)) {
    const { step } = loop
    if (step?.phase !== 'asking') continue
    const { turnId } = turn
    const { stepId, stepSeq } = step
    const loopId = isChild(loop) ? loop.loopId : ROOT_LOOP
    const live: LiveStep = feed.liveSteps.get(stepId) ?? { turnId, loopId, stepId, stepSeq, blocks: [], inputs: [] }
    for (const { block, kind, text } of drafts.filter((draft) => draft.stepId === stepId)) {
      // Blocks of other kinds are not saved: there may be a gap before this one.
      while (live.blocks.length <= block) live.blocks.push({ type: kind, text: '' })
      const known = live.blocks[block]
      if (known?.type !== kind || !text.startsWith(known.text) || text.length === known.text.length) continue
      const offset = known.text.length
      live.blocks[block] = { ...known, text }
      feed.liveSteps.set(stepId, live)
      feed.publishShared({
        type: `${kind}.delta`,
        turnId,
        loopId,
        stepId,
        stepSeq,
        block,
        offset,
        text: text.slice(offset),
      })
    }
  }
}
