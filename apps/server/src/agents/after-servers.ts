import type { Clock, Command, Engine } from '@polylogue/engine'

/** A server that takes longer than this misses the first turn. */
const LONGEST_WAIT_MS = 10_000

export interface AfterServersDeps {
  readonly clock: Clock
  untilServersTried(): Promise<void>
}

/** The first turn waits for the MCP servers: the process of an errand starts with it, and often ends with it. */
export function afterServers(engine: Engine, { clock, untilServersTried }: AfterServersDeps): Engine {
  let tried: Promise<void> | undefined
  const untilTried = async (): Promise<void> => {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = clock.setTimer(LONGEST_WAIT_MS, resolve)
    await Promise.race([untilServersTried(), late])
    timer.cancel()
  }
  return {
    ...engine,
    async execute<C extends Command>(command: C) {
      if (command.type === 'start-turn') await (tried ??= untilTried())
      return engine.execute(command)
    },
  }
}
