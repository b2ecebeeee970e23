import type { SessionModeState } from '@agentclientprotocol/sdk'
import type { Labels, Preset } from '@polylogue/engine'

/** A mode name that the client chose, and the preset at the time. */
export const MODE_LABEL = 'acp.modeId'
export const MODE_PRESET_LABEL = 'acp.modePreset'

interface Mode {
  readonly id: Preset
  readonly name: string
  readonly description: string
}

export const MODES: readonly Mode[] = [
  { id: 'read-only', name: 'Read only', description: 'Reads and searches. Changes nothing.' },
  { id: 'workspace-write', name: 'Workspace write', description: 'Writes in the workspace. Asks for everything else.' },
  { id: 'full-access', name: 'Full access', description: 'Runs tools without asking.' },
  { id: 'plan', name: 'Plan', description: 'Reads and plans. Changes nothing.' },
]

export interface ModeState {
  readonly preset: Preset
  readonly labels: Labels
}

/** A mode name that the client chose stays until any door changes the preset. */
export function currentModeId({ preset, labels }: ModeState): string {
  const own = labels[MODE_LABEL]
  return own !== undefined && labels[MODE_PRESET_LABEL] === preset ? own : preset
}

export const findPreset = (modeId: string): Preset | undefined => MODES.find(({ id }) => id === modeId)?.id

export const allowedModes = (presets: readonly Preset[] | undefined): readonly Mode[] =>
  MODES.filter(({ id }) => presets === undefined || presets.includes(id))

export function toModes(state: ModeState, presets: readonly Preset[] | undefined): SessionModeState {
  return { currentModeId: currentModeId(state), availableModes: allowedModes(presets).map((mode) => ({ ...mode })) }
}
