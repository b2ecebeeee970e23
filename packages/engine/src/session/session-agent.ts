import type { AgentDefinition } from '../ports/agent.ts'
import type { NamedModel } from '../ports/model-catalog.ts'
import type { Tool } from '../ports/tool.ts'
import type { EngineParts } from '../engine-parts.ts'
import type { SessionState } from '../state/session-state.ts'

export type AgentParts = Pick<EngineParts, 'agents' | 'models' | 'sessionTools' | 'outputs'>

/**
 * The agent as configured for this session and turn: with the role, the model, and the tools that result from both.
 * Sub-agents keep the settings of their author.
 */
export function findSessionAgent(state: SessionState, name: string, parts: AgentParts): AgentDefinition | undefined {
  const agent = parts.agents.find(name)
  if (agent === undefined || name !== state.agent) return agent
  const role = agent.roles?.find(({ id }) => id === state.settings.role)
  const chosen = chosenModel(state, parts)
  const tools = toolsIn(state, { agent, ofRole: role?.tools }, parts)
  if (role === undefined && chosen === undefined && tools === agent.tools) return agent
  const { contextWindow, ...rest } = agent
  return {
    ...rest,
    tools,
    ...(role && { instructions: `${agent.instructions}\n\n${role.instructions}`.trim() }),
    // The author's context window applies only to the agent's own model.
    ...(chosen ?? (contextWindow !== undefined && { contextWindow })),
  }
}

/** The model of the turn, else that of the session. A model that is no longer available is ignored. */
function chosenModel({ turn, settings }: SessionState, { models }: AgentParts): NamedModel | undefined {
  const names = [turn?.settings.model, settings.model]
  for (const name of names) {
    const found = name === undefined ? undefined : models?.find(name)
    if (found !== undefined) return found
  }
  return undefined
}

function toolsIn(
  { sessionId, settings: { disabledTools }, turn }: SessionState,
  { agent, ofRole }: { readonly agent: AgentDefinition; readonly ofRole: readonly string[] | undefined },
  { sessionTools, outputs }: AgentParts,
): readonly Tool[] {
  const { withheldTools = [], isUnattended = false, outputSchema } = turn?.settings ?? {}
  const own = ofRole === undefined ? agent.tools : agent.tools.filter(({ name }) => ofRole.includes(name))
  const all = sessionTools?.(sessionId, own) ?? own
  const isPlain = disabledTools.length + withheldTools.length === 0
  if (isPlain && !isUnattended && outputSchema === undefined) return all
  const lacking = new Set([...disabledTools, ...withheldTools])
  const isThere = ({ name, performer }: Tool): boolean => !lacking.has(name) && !(isUnattended && performer === 'user')
  const result = outputSchema === undefined ? undefined : outputs?.toolFor(outputSchema)
  return [...all.filter(isThere), ...(result === undefined ? [] : [result])]
}
