import { textOf, type UserContent } from '../content.ts'
import type { EngineParts } from '../engine-parts.ts'
import type { RecalledMemory } from '../events/turn-events.ts'
import type { ActiveTurn, SessionState } from '../state/session-state.ts'
import type { RunDeps } from './turn-deps.ts'

/** More memories would distract from the input. */
const MOST_RECALLED = 8

/**
 * Before the first step of a turn, recalls the user's memories that are relevant to the input. If this fails, the turn
 * continues without memories.
 */
export async function recallMemories(turn: ActiveTurn, deps: RunDeps): Promise<void> {
  const { session, fence } = deps
  const { turnId } = turn
  if (turn.hasRecalled || turn.answeredSteps > 0 || !mayRecall(session.state, deps)) return
  const input = (await session.context()).messages().findLast((message) => message.role === 'user')
  if (input === undefined) return
  const memories = await recallFor(input.content, session.state, deps)
  if (memories.length === 0) return
  await session.commit(
    (state) => ({ events: state.turn?.turnId === turnId ? [{ type: 'memories.recalled', turnId, memories }] : [] }),
    fence,
  )
}

const mayRecall = (
  { settings }: Pick<SessionState, 'settings'>,
  { memories }: Pick<EngineParts, 'memories'>,
): boolean => memories !== undefined && settings.recallsMemories

/** Finds the memories that are relevant to the input of a turn, and counts them as hits. */
export async function recallFor(
  input: UserContent,
  state: Pick<SessionState, 'userId' | 'sessionId' | 'settings'>,
  { memories, log }: Pick<EngineParts, 'memories' | 'log'>,
): Promise<readonly RecalledMemory[]> {
  if (memories === undefined || !mayRecall(state, { memories })) return []
  const { userId, sessionId } = state
  const recalled = await memories.recall(userId, textOf(input), MOST_RECALLED).catch((error: unknown) => {
    log({ level: 'warn', message: 'memories could not be recalled', sessionId, error })
    return []
  })
  return recalled.map(({ memoryId, content, skillName, sourceSession, origin, sourceTool }) => ({
    memoryId,
    content,
    ...(skillName !== undefined && { skillName }),
    ...(sourceSession !== undefined && { sourceSession }),
    ...(origin !== undefined && { origin }),
    ...(sourceTool !== undefined && { sourceTool }),
  }))
}
