import {
  EngineError,
  type Command,
  type Engine,
  type Preset,
  type SessionChanges,
  type TurnSettings,
  type UserId,
} from '@polylogue/engine'
import { LOCAL_USER } from '../auth/key-ring.ts'
import { PRESETS } from './permissions-schema.ts'

const DEFAULT_PRESET: Preset = 'workspace-write'

/** Whether a user may not give a session this preset. */
export function isAboveCeiling(preset: Preset, userId: UserId, ceiling: Preset): boolean {
  return userId !== LOCAL_USER && PRESETS.indexOf(preset) > PRESETS.indexOf(ceiling)
}

/**
 * The same engine, in which nobody but the user `local` gives a session more than the ceiling. It stands here and not
 * at a door, because every door leads to it.
 */
export function capPresets(engine: Engine, ceiling: Preset): Engine {
  return {
    ...engine,
    async execute<C extends Command>(command: C) {
      const preset = presetIn(command)
      if (preset !== undefined && isAboveCeiling(preset, command.userId, ceiling)) {
        throw new EngineError('invalid-input', `the preset ${preset} is above the ceiling, ${ceiling}`, 'preset')
      }
      return engine.execute(lowerDefault(command, ceiling))
    },
  }
}

function presetIn(command: Command): Preset | undefined {
  if (command.type === 'create-session') return command.preset
  if (!hasChanges(command)) return undefined
  const isPlanning = command.changes?.planning ?? settingsOf(command)?.isPlanning
  return command.changes?.preset ?? (isPlanning === true ? 'plan' : undefined)
}

const hasChanges = (command: Command): command is Extract<Command, { readonly changes?: SessionChanges }> =>
  command.type === 'configure-session' || command.type === 'start-turn' || command.type === 'answer-calls'

const settingsOf = (command: Command): TurnSettings | undefined =>
  command.type === 'start-turn' ? command.settings : undefined

/**
 * Where nobody named a preset the usual one would follow: for a new session, and at the end of planning in one that began
 * with it. If that is above the ceiling, the highest one below it takes its place.
 */
function lowerDefault<C extends Command>(command: C, ceiling: Preset): C {
  if (!isAboveCeiling(DEFAULT_PRESET, command.userId, ceiling)) return command
  if (command.type === 'create-session') return command.preset === undefined ? { ...command, preset: ceiling } : command
  if (!hasChanges(command)) return command
  const { isPlanning, ...settings } = settingsOf(command) ?? {}
  if (command.changes?.planning !== false && isPlanning !== false) return command
  const { planning: _, ...changes } = command.changes ?? {}
  return {
    ...command,
    changes: { ...changes, preset: changes.preset ?? 'read-only' },
    ...(command.type === 'start-turn' && { settings }),
  }
}
