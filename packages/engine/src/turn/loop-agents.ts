import type { AgentCatalog, AgentDefinition } from '../ports/agent.ts'
import type { LoopId } from '../ids.ts'
import { findLoop, isChild, type ActiveTurn, type SessionState } from '../session/state.ts'

/**
 * The agents from a loop up to the session's own, the loop's first: a sub-agent may do what all of them may.
 * `undefined` when one of them is no longer offered.
 */
export function lineOfAgents(
  state: SessionState,
  turn: ActiveTurn,
  loopId: LoopId,
  agents: AgentCatalog,
): readonly [AgentDefinition, ...AgentDefinition[]] | undefined {
  const loop = findLoop(turn, loopId)
  if (loop === undefined) return undefined
  const agent = agents.find(isChild(loop) ? loop.agent : state.agent)
  if (agent === undefined) return undefined
  if (!isChild(loop)) return [agent]
  const above = lineOfAgents(state, turn, loop.parentLoopId, agents)
  return above && [agent, ...above]
}
