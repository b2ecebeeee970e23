import type { SessionConfigOption } from '@agentclientprotocol/sdk'
import type { AgentCatalog, ModelCatalog, Preset } from '@polylogue/engine'
import type { AcpProfile } from './deps.ts'
import { currentModel } from './model-names.ts'
import { allowedModes } from './modes.ts'

export interface ConfigState {
  /** `provider/model` */
  readonly model: string | undefined
  readonly preset: Preset
}

export interface ConfigTerms {
  readonly profile: AcpProfile
  readonly models: ModelCatalog
  readonly presets: readonly Preset[] | undefined
}

/** A session's options with their current values. */
export function sessionConfigOptions(
  { agent, model, preset }: { readonly agent: string; readonly model: string | undefined; readonly preset: Preset },
  { agents, ...terms }: ConfigTerms & { readonly agents: AgentCatalog },
): SessionConfigOption[] {
  return toConfigOptions({ model: currentModel(model, agents.find(agent), terms.models), preset }, terms)
}

/** The model comes first. Profile seed has no other option. */
export function toConfigOptions({ model, preset }: ConfigState, terms: ConfigTerms): SessionConfigOption[] {
  const options = model === undefined ? [] : [modelOption(model, terms.models)]
  return terms.profile === 'seed' ? options : [...options, modeOption(preset, terms.presets)]
}

function modelOption(current: string, models: ModelCatalog): SessionConfigOption {
  const offered = models.list().map(({ name, title }) => ({ value: name, name: title }))
  const isListed = offered.some(({ value }) => value === current)
  return {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: current,
    options: isListed ? offered : [{ value: current, name: current }, ...offered],
  }
}

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
