import type { Command, Engine } from '@polylogue/engine'

const TOLD: ReadonlySet<Command['type']> = new Set<Command['type']>([
  'create-session',
  'fork-session',
  'start-turn',
  'change-input',
  'answer-calls',
])

/** The same engine, which records through which door a session, a message or an answer came. */
export function viaDoor(engine: Engine, nameOf: () => string | undefined): Engine {
  return {
    ...engine,
    execute<C extends Command>(command: C) {
      const via = nameOf()
      return engine.execute(via === undefined || !TOLD.has(command.type) ? command : { ...command, via })
    },
  }
}
