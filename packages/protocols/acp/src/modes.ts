import type { SessionModeState } from '@agentclientprotocol/sdk'
import type { Labels, Preset } from '@polylogue/engine'

/** The mode of a client's own that a session is in, and the preset that was in force when it was set. */
export const MODE_LABEL = 'acp.modeId'
export const MODE_PRESET_LABEL = 'acp.modePreset'

interface Mode {
  readonly id: Preset
  readonly name: string
  readonly description: string
}

export const MODES: readonly Mode[] = [
  { id: 'read-only', name: 'Read only', description: 'Reads and searches; changes nothing' },
  { id: 'workspace-write', name: 'Workspace write', description: 'Writes in the workspace, asks for the rest' },
  { id: 'full-access', name: 'Full access', description: 'Does not ask' },
  { id: 'plan', name: 'Plan', description: 'Looks around and plans; changes nothing' },
]

export interface ModeState {
  readonly preset: Preset
  readonly labels: Labels
}

/** What a client called the mode itself holds until the preset changes, at whatever door. */
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
