import type { AgentDefinition } from '../ports/agent.ts'
import type { ModelMessage, ModelRequest, OfferedTool } from '../ports/model.ts'
import { REDACTED } from '../session/decide-changes.ts'
import { RESULT_TOOL } from '../ports/tool.ts'
import { isChild, type AnyLoop, type SessionState } from '../state/session-state.ts'
import { offeredIn, policyFor } from './judge-calls.ts'
import type { LoopRound } from './loop-place.ts'
import type { RunDeps } from './turn-deps.ts'
import { withMemories } from './with-memories.ts'

const PLANNING =
  'You are planning: look and think, but change nothing. End with a plan of the steps you would take, for the user to ' +
  'accept or correct.'

const REMINDER = `Finish by calling ${RESULT_TOOL} with your answer; nothing else counts as one.`

export async function buildModelRequest({ loop, line }: LoopRound, deps: RunDeps): Promise<ModelRequest> {
  const { session, store, operator } = deps
  const [agent] = line
  const context = await session.context(loop)
  const { state } = session
  const userRules = (await deps.rules.listRules(state.userId)).map(({ rule }) => rule)
  const own = offeredIn(line, policyFor(state, { operator, userRules }))
  return {
    system: context.system(
      state.settings.preset === 'plan' ? `${agent.instructions}\n\n${PLANNING}` : agent.instructions,
    ),
    messages: withReminder([...withMemories(context.messages(), context.recalled)], loop, state),
    tools: withClientTools(own, isChild(loop) ? [] : state.settings.clientTools).map(toOffered),
    options: await effectiveOptions(state, agent, deps),
    secretOptions: agent.options.filter((option) => option.type === 'secret').map((option) => option.name),
    // Other agents keep the settings of their authors.
    ...(agent.name === state.agent && state.settings.thinking !== undefined && { thinking: state.settings.thinking }),
    step: loop.answeredSteps,
    purpose: 'answer',
    readBlob: async (hash) => {
      const blob = await store.readBlob(session.id, hash)
      if (blob === undefined) throw new Error(`image ${hash} is missing`)
      return blob.bytes
    },
  }
}

/** Reminds a model that must return a value of a given shape and has only written text. */
function withReminder(messages: ModelMessage[], loop: AnyLoop, { turn }: SessionState): ModelMessage[] {
  const owesValue = turn?.settings.outputSchema !== undefined && !isChild(loop)
  if (owesValue && messages.at(-1)?.role === 'assistant') messages.push({ role: 'user', content: REMINDER })
  return messages
}

/** A client tool replaces an agent tool of the same name. */
function withClientTools(own: readonly OfferedTool[], clientTools: readonly OfferedTool[]): readonly OfferedTool[] {
  const names = new Set(clientTools.map(({ name }) => name))
  return [...own.filter(({ name }) => !names.has(name)), ...clientTools]
}

const toOffered = ({ name, description, parameters }: OfferedTool): OfferedTool => ({ name, description, parameters })

/** Defaults, overridden by the session's options. Secrets come from their own table and are kept only for this call. */
async function effectiveOptions(
  state: SessionState,
  agent: AgentDefinition,
  deps: RunDeps,
): Promise<Record<string, string>> {
  const options: Record<string, string> = {}
  const { options: set, secretOptions } = state.settings
  for (const option of agent.options) {
    const isSet = Object.hasOwn(set, option.name) && !secretOptions.includes(option.name)
    options[option.name] = isSet ? (set[option.name] ?? option.default) : option.default
  }
  if (secretOptions.length === 0) return options
  for (const { name, sealed } of await deps.store.readSecrets(state.sessionId)) {
    if (!Object.hasOwn(options, name)) continue
    const secret = deps.secretBox.open(sealed, secretContext(state.sessionId, name))
    // Sessions of earlier versions may have stored it.
    if (secret !== REDACTED) options[name] = secret
  }
  return options
}

export const secretContext = (sessionId: string, name: string): string => `${sessionId}/${name}`
