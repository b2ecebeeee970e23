import { AapError, TurnCutOff, createAapClient, type AapClient } from '@polylogue/aap/client'
import { ConsoleRefusal, createOwnerClient, type OwnerClient } from '@polylogue/console/client'
import { CommandFailure } from './command-failure.ts'
import { ExitCode } from './exit-code.ts'
import { createOwnerFetch } from './owner-fetch.ts'
import { toOwnerOptions, type OwnerFlags } from './owner-flags.ts'
import { openOwnerLink } from './owner-link.ts'

/** The owner of the data directory, by the protocols that the verbs use. */
export interface Owner {
  /** This process is the owner. */
  readonly isEmbedded: boolean
  readonly console: OwnerClient
  readonly aap: AapClient
  /** Call it after the owner went away. Turns that are followed do it themselves. */
  reconnect(): Promise<void>
}

/** Works with the owner of the data directory and always lets go of it. Rejects with a `CommandFailure`. */
export async function withOwner<T>(flags: OwnerFlags, work: (owner: Owner) => Promise<T>): Promise<T> {
  const link = await openOwnerLink(toOwnerOptions(flags))
  try {
    return await work({
      get isEmbedded() {
        return link.isEmbedded
      },
      console: createOwnerClient((request) => link.request(request)),
      aap: createAapClient({
        baseUrl: '/aap/v3',
        fetch: createOwnerFetch(link),
        reconnect: () => link.reconnect(),
      }),
      reconnect: () => link.reconnect(),
    })
  } catch (error) {
    throw toFailure(error)
  } finally {
    await link.close()
  }
}

function toFailure(error: unknown): unknown {
  if (error instanceof ConsoleRefusal || error instanceof AapError) {
    return new CommandFailure(error.message, ExitCode.failed, { cause: error })
  }
  if (error instanceof TurnCutOff) {
    const advice = 'The turn may still run. See `polylogue sessions show`.'
    return new CommandFailure(`${error.message} ${advice}`, ExitCode.failed, { cause: error })
  }
  return error
}
