import type { AapVersion } from '@polylogue/aap'
import { onFirstUse } from '../on-first-use.ts'
import { createAttachedClients } from './attached-clients.ts'
import type { Door, Presentation } from './door.ts'
import type { DoorDeps, OpenDoor } from './door-deps.ts'
import { refuseWithError } from './find-door.ts'

export const openAapV3: OpenDoor = (deps) => openAap(deps, 3)
export const openAapV1: OpenDoor = (deps) => openAap(deps, 1)

/** The Agent Application Protocol. Its streams end with the engine, which closes every reader when it stops. */
function openAap(deps: DoorDeps, version: AapVersion): Door {
  const name = `aap/v${version}`
  const base = `/${name}`
  const clients = createAttachedClients()
  const aap = onFirstUse(async () =>
    (await import('../aap/open-aap.ts')).openAapParts(deps, { version, base, clients }),
  )
  return {
    name,
    paths: [base],
    async prepare() {
      await aap.make()
    },
    routes: async () => (await aap.make()).routes(),
    quick: { find: (method, url) => aap.made?.quick.find(method, url) },
    refuse: refuseWithError,
    clients: clients.list,
    present({ userId, sessionId }): Presentation {
      const opened = aap.make().then(({ present }) => present(userId, sessionId))
      return { recorded: async (recorded) => (await opened)(recorded), settle: () => [] }
    },
    end: async () => undefined,
    close: async () => undefined,
  }
}
