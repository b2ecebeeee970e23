import type { AgentDefinition } from '../ports/agent.ts'
import type { LoopId } from '../ids.ts'
import { findSessionAgent, type AgentParts } from '../session/session-agent.ts'
import { findLoop, isChild, type SessionState } from '../state/session-state.ts'

/** A loop's agent, then its ancestors up to the session's own agent. A sub-agent may do only what all of them may do. */
export type AgentLine = readonly [AgentDefinition, ...AgentDefinition[]]

/** `undefined` if one of the agents is no longer available. */
export function lineOfAgents(state: SessionState, loopId: LoopId, parts: AgentParts): AgentLine | undefined {
  const loop = state.turn && findLoop(state.turn, loopId)
  if (loop === undefined) return undefined
  const agent = findSessionAgent(state, isChild(loop) ? loop.agent : state.agent, parts)
  if (agent === undefined) return undefined
  if (!isChild(loop)) return [agent]
  const above = lineOfAgents(state, loop.parentLoopId, parts)
  return above && [agent, ...above]
}
