import { SOCKET_PATH, nodeOfConnection } from '@polylogue/blade/light'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BladeParts } from '../blade/open-blade.ts'
import { createNodeForwarding, isForwarded } from '../nodes/node-forwarding.ts'
import { onFirstUse } from '../on-first-use.ts'
import type { OpenDoor } from './door-deps.ts'
import type { Presentation } from './door.ts'

const API = '/api'

/** Blade: REST below `/api` with its documentation, and Socket.IO. Its first client loads it. */
export const openBlade: OpenDoor = (deps) => {
  const { parts, log, doors } = deps
  const blade = onFirstUse(async () => (await import('../blade/open-blade.ts')).openBladeParts(deps))
  const { nodes, self, clock } = parts
  const forwarding = nodes && createNodeForwarding({ self, nodes, clock })
  let isClosed = false
  /** The node that has the connection of this request, if it is another one. */
  const otherNode = (incoming: IncomingMessage): string | undefined => {
    const nodeId = isForwarded(incoming) ? undefined : nodeOfConnection(incoming)
    return nodeId === self.nodeId ? undefined : nodeId
  }
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const other = otherNode(incoming)
    if (other !== undefined && (await forwarding?.request(other, incoming, outgoing)) === true) return
    const { sockets } = blade.made ?? (await blade.make())
    if (isClosed) incoming.socket.destroy()
    else sockets.handleRequest(incoming, outgoing)
  }
  const close = async (): Promise<void> => {
    isClosed = true
    await blade.made?.sockets.close()
  }
  return {
    name: 'blade',
    paths: [API, SOCKET_PATH.replace(/\/$/, '')],
    async routes() {
      // Blade answers for everything below `/api` except for what other doors own there.
      const foreignPaths = (): readonly string[] =>
        doors()
          .flatMap(({ paths }) => paths)
          .filter((path) => path.startsWith(`${API}/`))
      return (await blade.make()).routes(foreignPaths)
    },
    upgrade: {
      path: SOCKET_PATH,
      protocol: 'websocket',
      async upgrade({ incoming, socket, head }) {
        const other = otherNode(incoming)
        if (other !== undefined && (await forwarding?.upgrade(other, incoming, socket)) === true) return
        const { sockets } = blade.made ?? (await blade.make())
        if (isClosed) socket.destroy()
        else sockets.handleUpgrade(incoming, socket, head)
      },
    },
    direct: {
      path: SOCKET_PATH,
      handle(incoming, outgoing) {
        handle(incoming, outgoing).catch((error: unknown) => {
          log.error({ err: error, route: SOCKET_PATH }, 'a request failed')
          incoming.socket.destroy()
        })
      },
    },
    refuse: ({ message }) => ({ detail: message }),
    clients: () => blade.made?.sockets.clients() ?? [],
    present: () => presentWith(() => blade.make()),
    readRows: async (asked) => (await blade.make()).readRows(asked),
    end: close,
    close,
  }
}

function presentWith(load: () => Promise<BladeParts>): Presentation {
  let presentation: Presentation | undefined
  return {
    async recorded(recorded) {
      presentation ??= (await load()).present()
      return presentation.recorded(recorded)
    },
    settle: () => presentation?.settle() ?? [],
  }
}
