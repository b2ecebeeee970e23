import type { SessionConfigOption } from '@agentclientprotocol/sdk'
import type { AgentCatalog, ModelCatalog, OfferedModel, Preset } from '@polylogue/engine'
import type { AcpProfile } from './deps.ts'
import { currentModel } from './model-names.ts'
import { allowedModes } from './modes.ts'

export interface ConfigState {
  /** `provider/model` */
  readonly model: string | undefined
  readonly thinking: string | undefined
  readonly preset: Preset
}

/** The value for as much thinking as the model does by default. */
export const DEFAULT_THINKING = 'default'
export const THINKING_OPTION = 'thought_level'

export interface ConfigTerms {
  readonly profile: AcpProfile
  readonly models: ModelCatalog
  readonly presets: readonly Preset[] | undefined
}

/** A session's options with their current values. */
export function sessionConfigOptions(
  { agent, model, ...state }: ConfigState & { readonly agent: string },
  { agents, ...terms }: ConfigTerms & { readonly agents: AgentCatalog },
): SessionConfigOption[] {
  return toConfigOptions({ ...state, model: currentModel(model, agents.find(agent), terms.models) }, terms)
}

/** The model comes first. Profile seed has no other option. */
export function toConfigOptions({ model, thinking, preset }: ConfigState, terms: ConfigTerms): SessionConfigOption[] {
  const options = model === undefined ? [] : [modelOption(model, terms)]
  if (terms.profile === 'seed') return options
  return [...options, ...thinkingOption(thinking, model, terms.models), modeOption(preset, terms.presets)]
}

function modelOption(current: string, { models, profile }: ConfigTerms): SessionConfigOption {
  const listed = models.list()
  const isListed = listed.some(({ name }) => name === current)
  const offered = isListed ? listed : [{ name: current, title: current }, ...listed]
  const groups = new Set(offered.map(({ group }) => group))
  return {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: current,
    options: profile === 'seed' || groups.size < 2 ? toOptions(offered) : toGroups(offered),
  }
}

/** Editors show names only, so a name that several models share is followed by the model's id. */
function toOptions(models: readonly OfferedModel[]) {
  const shared = new Set<string>()
  const seen = new Set<string>()
  for (const { title } of models) (seen.has(title) ? shared : seen).add(title)
  return models.map(({ name, title }) => ({
    value: name,
    name: shared.has(title) ? `${title} (${name.slice(name.indexOf('/') + 1)})` : title,
  }))
}

/** In the order in which they come first. */
function toGroups(models: readonly OfferedModel[]) {
  const groups = Map.groupBy(models, ({ group }) => group ?? 'Polylogue')
  return [...groups].map(([name, members]) => ({ group: name, name, options: toOptions(members) }))
}

/** Only for models with thinking levels. A level of another model is not shown. */
function thinkingOption(
  current: string | undefined,
  model: string | undefined,
  models: ModelCatalog,
): SessionConfigOption[] {
  const levels = (model === undefined ? undefined : models.find(model)?.model.thinkingLevels) ?? []
  if (levels.length === 0) return []
  return [
    {
      id: THINKING_OPTION,
      name: 'Thinking',
      category: 'thought_level',
      type: 'select',
      currentValue: levels.find((level) => level === current) ?? DEFAULT_THINKING,
      options: [
        { value: DEFAULT_THINKING, name: 'Default' },
        ...levels.map((level) => ({ value: level, name: titleOf(level) })),
      ],
    },
  ]
}

const titleOf = (level: string): string => `${level.slice(0, 1).toUpperCase()}${level.slice(1)}`

/** The current value is always listed, even when this client may not choose it. */
function modeOption(preset: Preset, presets: readonly Preset[] | undefined): SessionConfigOption {
  const allowed = presets === undefined ? undefined : [...presets, preset]
  return {
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    type: 'select',
    currentValue: preset,
    options: allowedModes(allowed).map(({ id, name, description }) => ({ value: id, name, description })),
  }
}
