import { endChild, type ChildEnd } from './end-child.ts'
import type { LoopPlace } from './loop-place.ts'
import type { RunDeps } from './turn-deps.ts'

/** Ends a sub-agent that cannot continue. Its text so far becomes the result of its call. */
export async function recordChildEnd({ turnId, loopId }: LoopPlace, end: ChildEnd, deps: RunDeps): Promise<void> {
  await deps.session.commit(({ turn }) => {
    const child = turn?.turnId === turnId ? turn.children.find((open) => open.loopId === loopId) : undefined
    return { events: turn === undefined || child === undefined ? [] : endChild(turn, child, end) }
  }, deps.fence)
}
