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
  return 'changes' in command ? command.changes?.preset : undefined
}

/** A session whose client named no preset gets the usual one, or the ceiling if that is lower. */
function lowerDefault<C extends Command>(command: C, ceiling: Preset): C {
  if (command.type !== 'create-session' || command.preset !== undefined) return command
  return isAboveCeiling(DEFAULT_PRESET, command.userId, ceiling) ? { ...command, preset: ceiling } : command
}
