import { textOf } from '../content.ts'
import type { ActiveTurn } from '../state/session-state.ts'
import type { RunDeps } from './turn-deps.ts'

/** More memories would distract from the input. */
const MOST_RECALLED = 8

/**
 * Before the first step of a turn, recalls the user's memories that are relevant to the input. If this fails, the turn
 * continues without memories.
 */
export async function recallMemories(turn: ActiveTurn, deps: RunDeps): Promise<void> {
  const { memories, session, fence, log } = deps
  const { turnId } = turn
  if (memories === undefined || turn.hasRecalled || turn.answeredSteps > 0) return
  const { userId, settings } = session.state
  if (!settings.recallsMemories) return
  const input = (await session.context()).messages().findLast(({ role }) => role === 'user')
  if (input === undefined) return
  const recalled = await memories.recall(userId, textOf(input.content), MOST_RECALLED).catch((error: unknown) => {
    log({ level: 'warn', message: 'memories could not be recalled', sessionId: session.id, error })
    return []
  })
  if (recalled.length === 0) return
  const kept = recalled.map(({ memoryId, content, skillName, sourceSession, origin, sourceTool }) => ({
    memoryId,
    content,
    ...(skillName !== undefined && { skillName }),
    ...(sourceSession !== undefined && { sourceSession }),
    ...(origin !== undefined && { origin }),
    ...(sourceTool !== undefined && { sourceTool }),
  }))
  await session.commit(
    (state) => ({
      events: state.turn?.turnId === turnId ? [{ type: 'memories.recalled', turnId, memories: kept }] : [],
    }),
    fence,
  )
}
