import { EngineError, type Command, type Engine, type Preset, type UserId } from '@polylogue/engine'
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
  if (!('changes' in command)) return undefined
  return command.changes?.preset ?? (command.changes?.planning === true ? 'plan' : undefined)
}

/**
 * Where nobody named a preset the usual one would follow: for a new session, and at the end of planning in one that began
 * with it. If that is above the ceiling, the highest one below it takes its place.
 */
function lowerDefault<C extends Command>(command: C, ceiling: Preset): C {
  if (!isAboveCeiling(DEFAULT_PRESET, command.userId, ceiling)) return command
  if (command.type === 'create-session') return command.preset === undefined ? { ...command, preset: ceiling } : command
  if (!('changes' in command) || command.changes?.planning !== false) return command
  const { planning: _, ...changes } = command.changes
  return { ...command, changes: { ...changes, preset: changes.preset ?? 'read-only' } }
}
