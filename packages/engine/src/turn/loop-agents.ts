import type { AgentDefinition } from '../ports/agent.ts'
import type { LoopId } from '../ids.ts'
import { findSessionAgent, type AgentParts } from '../session/session-agent.ts'
import { findLoop, isChild, type ActiveTurn, type SessionState } from '../state/session-state.ts'

/**
 * The agents from a loop up to the session's own agent, the loop's agent first. A sub-agent may do only what all of
 * them may do. `undefined` if one of them is no longer available.
 */
export function lineOfAgents(
  state: SessionState,
  turn: ActiveTurn,
  loopId: LoopId,
  parts: AgentParts,
): readonly [AgentDefinition, ...AgentDefinition[]] | undefined {
  const loop = findLoop(turn, loopId)
  if (loop === undefined) return undefined
  const agent = findSessionAgent(state, isChild(loop) ? loop.agent : state.agent, parts)
  if (agent === undefined) return undefined
  if (!isChild(loop)) return [agent]
  const above = lineOfAgents(state, turn, loop.parentLoopId, parts)
  return above && [agent, ...above]
}
