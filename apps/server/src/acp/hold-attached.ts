import type { Engine } from '@polylogue/engine'

/** The same engine for an editor: the sessions that it has open run in this process, where its files and servers are. */
export function holdAttached(engine: Engine): Engine {
  return {
    ...engine,
    async attach(userId, sessionId, request) {
      const attachment = await engine.attach(userId, sessionId, request)
      const letGo = await engine.holdHere(sessionId)
      return {
        ...attachment,
        detach() {
          letGo()
          attachment.detach()
        },
      }
    },
  }
}
