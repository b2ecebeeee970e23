import { bindTrust } from './bind-trust.ts'
import { differingSettings } from '../events/session-settings.ts'
import type { ClientTool, Preset, SettingsChange, ToolAccess } from '../events/session-settings.ts'
import { EngineError } from '../errors.ts'
import type { SessionConfigured } from '../events/session-events.ts'
import type { TurnSettings } from '../events/turn-events.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import type { SessionChanges } from './command.ts'
import type { DecideContext } from './decision.ts'
import type { SessionState } from '../state/session-state.ts'

/** Replaces a secret in events and responses. */
export const REDACTED = '***'

export interface AcceptedOptions {
  /** For the log. Secrets are redacted. */
  readonly options: { readonly [name: string]: string }
  readonly secretOptions: readonly string[]
  /** The secrets that were newly set, in plain text. */
  readonly secrets: { readonly [name: string]: string }
}

/**
 * Drops undeclared keys. `***` keeps the stored secret; if there is none, it is refused instead of being stored as a
 * secret.
 */
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
      if (value === REDACTED) {
        if (storedSecrets.includes(option.name)) continue
        const problem = `${REDACTED} stands for a stored secret, and none is stored`
        throw new EngineError('invalid-option', problem, `options.${option.name}`)
      }
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

interface SessionTools {
  readonly access: ToolAccess
  readonly clientTools: readonly ClientTool[]
  readonly disabledTools?: readonly string[] | undefined
}

export function checkTools(agent: AgentDefinition, tools: SessionTools): void {
  if (tools.access.type === 'listed') checkListedTools(agent, tools.access)
  checkNames(agent, tools)
}

/**
 * A client tool must not have the name of an enabled tool. Other tools of the agent do not reserve their names: the
 * client cannot know tools that are not exposed, and more may be added later. The client tool replaces them.
 */
function checkNames(agent: AgentDefinition, { access, clientTools, disabledTools = [] }: SessionTools): void {
  const enabled = access.type === 'listed' ? access.tools : agent.tools.filter(({ exposed }) => exposed)
  const taken = new Set(enabled.map(({ name }) => name).filter((name) => !disabledTools.includes(name)))
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

/** The new preset, if the change leads to a different one. */
export function presetChange(
  state: Pick<SessionState, 'settings' | 'presetBeforePlan'>,
  { preset, planning }: Pick<SessionChanges, 'preset' | 'planning'>,
): { preset?: Preset } {
  const wanted = preset ?? (planning === undefined ? undefined : planning ? 'plan' : presetAfterPlan(state))
  return wanted === undefined || wanted === state.settings.preset ? {} : { preset: wanted }
}

function presetAfterPlan({ settings, presetBeforePlan }: Pick<SessionState, 'settings' | 'presetBeforePlan'>): Preset {
  return settings.preset === 'plan' ? (presetBeforePlan ?? 'workspace-write') : settings.preset
}

export function checkModel(model: string | undefined, { isKnownModel }: Pick<DecideContext, 'isKnownModel'>): void {
  if (model === undefined || isKnownModel(model)) return
  throw new EngineError('unknown-model', `there is no model ${model} here, or its provider has no key`, 'model')
}

export function checkSettings(
  settings: TurnSettings | undefined,
  context: Pick<DecideContext, 'isKnownModel' | 'outputProblem'>,
): void {
  if (settings === undefined) return
  checkModel(settings.model, context)
  const { outputProblem } = context
  if (outputProblem !== undefined) throw new EngineError('invalid-input', outputProblem, 'settings.outputSchema')
}

/** The lists that a change replaces. */
function given({ access, clientTools, disabledTools }: SessionChanges): Partial<SessionTools> {
  return { ...(access && { access }), ...(clientTools && { clientTools }), ...(disabledTools && { disabledTools }) }
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
  const { settings } = state
  if (changes.agent !== undefined && changes.agent !== state.agent) {
    throw new EngineError('invalid-input', 'the agent of a session cannot change', 'agent')
  }
  if (changes.directories !== undefined && changes.directories[0] !== settings.directories[0]) {
    throw new EngineError('invalid-input', 'the working directory of a session cannot change', 'directories')
  }
  checkModel(changes.model, context)
  if (changes.access?.type === 'listed') checkListedTools(agent, changes.access)
  if (changes.access !== undefined || changes.clientTools !== undefined)
    checkNames(agent, { ...settings, ...given(changes) })
  const { options, secretOptions, secrets } = acceptOptions(agent, changes.options ?? {}, settings.secretOptions)
  const { options: _options, forgetsOverrides: _forgets, ...others } = changes
  const change: SettingsChange = {
    ...differingSettings(settings, { ...others, preset: undefined }),
    ...(changes.access && { access: bindTrust(changes.access, agent, settings.access) }),
    ...presetChange(state, changes),
    ...(Object.keys(options).length > 0 && { options }),
    ...(secretOptions.length > 0 && { secretOptions }),
  }
  const forgets = changes.forgetsOverrides === true && state.overrides.length > 0
  if (Object.keys(change).length === 0 && !forgets) return { secrets }
  const forgetting = forgets ? ({ forgetsOverrides: true } as const) : {}
  return { event: { type: 'session.configured', settings: change, ...forgetting }, secrets }
}
