import { isOffered } from '../permission/judge-call.ts'
import { policyOf } from '../permission/policy-of.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { ModelRequest, OfferedTool } from '../ports/model.ts'
import type { ActiveTurn, SessionState } from '../session/state.ts'
import type { RunDeps } from './turn-deps.ts'

export async function buildModelRequest(
  turn: ActiveTurn,
  agent: AgentDefinition,
  deps: RunDeps,
): Promise<ModelRequest> {
  const { session, store } = deps
  const context = await session.context()
  const { state } = session
  return {
    system: context.system(agent.instructions),
    messages: [...context.messages()],
    tools: offeredTools(state, agent),
    options: await effectiveOptions(state, agent, deps),
    secretOptions: agent.options.filter((option) => option.type === 'secret').map((option) => option.name),
    step: turn.answeredSteps,
    purpose: 'answer',
    readBlob: async (hash) => {
      const blob = await store.readBlob(session.id, hash)
      if (blob === undefined) throw new Error(`image ${hash} is missing`)
      return blob.bytes
    },
  }
}

function offeredTools(state: SessionState, agent: AgentDefinition): readonly OfferedTool[] {
  const own = agent.tools.filter((tool) => isOffered(tool, policyOf(state)))
  return [...own, ...state.clientTools].map(({ name, description, parameters }) => ({ name, description, parameters }))
}

/** Defaults, overlaid by what the session set; secrets come from their own table and live no longer than the call. */
async function effectiveOptions(
  state: SessionState,
  agent: AgentDefinition,
  deps: RunDeps,
): Promise<Record<string, string>> {
  const options: Record<string, string> = {}
  for (const option of agent.options) {
    const isSet = Object.hasOwn(state.options, option.name) && !state.secretOptions.includes(option.name)
    options[option.name] = isSet ? (state.options[option.name] ?? option.default) : option.default
  }
  if (state.secretOptions.length === 0) return options
  for (const { name, sealed } of await deps.store.readSecrets(state.sessionId)) {
    if (Object.hasOwn(options, name)) options[name] = deps.secretBox.open(sealed, secretContext(state.sessionId, name))
  }
  return options
}

export const secretContext = (sessionId: string, name: string): string => `${sessionId}/${name}`
