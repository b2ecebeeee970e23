import type { Command, ConfigureSession, Engine } from '@polylogue/engine'

export interface SessionChangesHub {
  readonly engine: Engine
  /** Called after a session was changed by a command of its own; must not throw. */
  onChange(listener: (change: ConfigureSession) => void): void
}

/** The same engine, which tells when a session is listed differently. It stands before every door. */
export function watchSessionChanges(engine: Engine): SessionChangesHub {
  const listeners: ((change: ConfigureSession) => void)[] = []
  return {
    engine: {
      ...engine,
      async execute<C extends Command>(command: C) {
        const result = await engine.execute(command)
        if (command.type === 'configure-session') for (const listener of listeners) listener(command)
        return result
      },
    },
    onChange: (listener) => void listeners.push(listener),
  }
}
