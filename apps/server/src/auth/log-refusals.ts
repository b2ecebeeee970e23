import type { ClientAddress } from '../http/client-address.ts'
import type { Log } from '../log/log.ts'
import type { Authenticate } from './authenticate.ts'

export interface LogRefusalsDeps {
  readonly log: Pick<Log, 'info'>
  readonly addressOf: ClientAddress
  readonly route: string
}

/** For a protocol that refuses callers in words of its own, with a request that went well. */
export function logRefusals(authenticate: Authenticate, { log, addressOf, route }: LogRefusalsDeps): Authenticate {
  return async (incoming) => {
    const outcome = await authenticate(incoming)
    if (outcome.type === 'refused') {
      log.info({ route, status: outcome.status, from: addressOf(incoming) }, 'a connection was refused')
    }
    return outcome
  }
}
