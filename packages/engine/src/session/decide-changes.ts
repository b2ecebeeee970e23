import { EngineError } from '../errors.ts'
import type { ClientTool, Preset, SessionConfigured, ToolAccess } from '../events/session-events.ts'
import type { TurnSettings } from '../events/turn-events.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { SessionChanges } from './command.ts'
import type { DecideContext } from './decision.ts'
import type { SessionState } from '../state/session-state.ts'

/** What events and answers show in place of a secret. */
export const REDACTED = '***'

export interface AcceptedOptions {
  /** For the log: secrets redacted. */
  readonly options: { readonly [name: string]: string }
  readonly secretOptions: readonly string[]
  /** Secrets in plain text, those that were really given. */
  readonly secrets: { readonly [name: string]: string }
}

/** Undeclared keys are dropped. `***` for a secret that is stored means: leave it as it is. */
export function acceptOptions(
  agent: AgentDefinition,
  given: { readonly [name: string]: string },
  storedSecrets: readonly string[],
): AcceptedOptions {
  const options: Record<string, string> = {}
  const secrets: Record<string, string> = {}
  for (const option of agent.options) {
    if (!Object.hasOwn(given, option.name)) continue
    const value = given[option.name] ?? ''
    if (option.type === 'secret') {
      if (value === REDACTED && storedSecrets.includes(option.name)) continue
      options[option.name] = REDACTED
      secrets[option.name] = value
      continue
    }
    if (option.type === 'select' && !option.choices.includes(value)) {
      throw new EngineError('invalid-option', `must be one of ${option.choices.join(', ')}`, `options.${option.name}`)
    }
    options[option.name] = value
  }
  return { options, secretOptions: Object.keys(secrets), secrets }
}

export function checkTools(agent: AgentDefinition, access: ToolAccess, clientTools: readonly ClientTool[]): void {
  if (access.type === 'listed') checkListedTools(agent, access)
  const taken = new Set(agent.tools.map((tool) => tool.name))
  for (const tool of clientTools) {
    if (taken.has(tool.name)) {
      throw new EngineError('tool-name-clash', `another tool is already called ${tool.name}`, 'clientTools')
    }
    taken.add(tool.name)
  }
}

function checkListedTools(agent: AgentDefinition, access: ToolAccess & { type: 'listed' }): void {
  const seen = new Set<string>()
  for (const { name } of access.tools) {
    if (!agent.tools.some((tool) => tool.exposed && tool.name === name)) {
      throw new EngineError('unknown-tool', `the agent ${agent.name} exposes no tool called ${name}`, 'access')
    }
    if (seen.has(name)) throw new EngineError('unknown-tool', `${name} is listed twice`, 'access')
    seen.add(name)
  }
}

/** Only what differs from what is in force. */
export function presetChange(
  state: Pick<SessionState, 'preset' | 'presetBeforePlan'>,
  { preset, planning }: Pick<SessionChanges, 'preset' | 'planning'>,
): { preset?: Preset } {
  const wanted = preset ?? (planning === undefined ? undefined : planning ? 'plan' : presetAfterPlan(state))
  return wanted === undefined || wanted === state.preset ? {} : { preset: wanted }
}

const presetAfterPlan = ({ preset, presetBeforePlan }: Pick<SessionState, 'preset' | 'presetBeforePlan'>): Preset =>
  preset === 'plan' ? (presetBeforePlan ?? 'workspace-write') : preset

/** What is kept as it is given; only what differs. */
function plainChanges(state: SessionState, changes: SessionChanges): Partial<SessionConfigured> {
  const { title, model, disabledTools, recallsMemories, isPinned, isShared, labels = {} } = changes
  const changed = Object.entries(labels).filter(([name, text]) => (state.labels[name] ?? '') !== text)
  return {
    ...(title !== undefined && title !== (state.title ?? '') && { title }),
    ...(model !== undefined && model !== state.model && { model }),
    ...(disabledTools && { disabledTools }),
    ...(recallsMemories !== undefined && recallsMemories !== state.recallsMemories && { recallsMemories }),
    ...(isPinned !== undefined && isPinned !== state.isPinned && { isPinned }),
    ...(isShared !== undefined && isShared !== state.isShared && { isShared }),
    ...(changed.length > 0 && { labels: Object.fromEntries(changed) }),
  }
}

export function checkModel(model: string | undefined, { isKnownModel }: Pick<DecideContext, 'isKnownModel'>): void {
  if (model === undefined || isKnownModel(model)) return
  throw new EngineError('unknown-model', `there is no model ${model} here, or its provider has no key`, 'model')
}

export function checkSettings(
  settings: TurnSettings | undefined,
  context: Pick<DecideContext, 'isKnownModel' | 'problemOfOutput'>,
): void {
  if (settings === undefined) return
  checkModel(settings.model, context)
  const problem = settings.outputSchema && context.problemOfOutput(settings.outputSchema)
  if (problem !== undefined) throw new EngineError('invalid-input', problem, 'settings.outputSchema')
}

export interface AcceptedChanges {
  readonly event?: SessionConfigured
  readonly secrets: { readonly [name: string]: string }
}

export function acceptChanges(
  state: SessionState,
  context: Pick<DecideContext, 'agent' | 'isKnownModel'>,
  changes: SessionChanges | undefined,
): AcceptedChanges {
  if (changes === undefined) return { secrets: {} }
  const { agent } = context
  if (changes.agent !== undefined && changes.agent !== state.agent) {
    throw new EngineError('invalid-input', 'the agent of a session cannot change', 'agent')
  }
  checkModel(changes.model, context)
  checkTools(agent, changes.access ?? state.access, changes.clientTools ?? state.clientTools)
  const accepted = acceptOptions(agent, changes.options ?? {}, state.secretOptions)
  const event: SessionConfigured = {
    type: 'session.configured',
    ...(changes.access && { access: changes.access }),
    ...(changes.clientTools && { clientTools: changes.clientTools }),
    ...(Object.keys(accepted.options).length > 0 && { options: accepted.options }),
    ...(accepted.secretOptions.length > 0 && { secretOptions: accepted.secretOptions }),
    ...presetChange(state, changes),
    ...plainChanges(state, changes),
  }
  const isEmpty = Object.keys(event).length === 1
  return { ...(!isEmpty && { event }), secrets: accepted.secrets }
}
