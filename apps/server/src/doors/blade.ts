import { ProjectionMarks, RowReader, SOCKET_PATH, nodeOfConnection, presentSession } from '@polylogue/blade'
import type { IncomingMessage } from 'node:http'
import { logRefusals } from '../auth/log-refusals.ts'
import { createBladeRest } from '../blade/blade-rest.ts'
import { createSockets } from '../blade/blade-sockets.ts'
import { describeSessions } from '../blade/describe-sessions.ts'
import { createNodeForwarding, isForwarded } from '../nodes/node-forwarding.ts'
import type { OpenDoor } from './door-deps.ts'

const API = '/api'

/** Blade: REST below `/api` with its documentation, and Socket.IO. */
export const openBlade: OpenDoor = (deps) => {
  const { parts, config, log, authenticate, addressOf, clientOf, doors } = deps
  const marks = new ProjectionMarks()
  const rows = new RowReader(parts.engine, describeSessions(parts), marks)
  const sockets = createSockets({
    marks,
    parts,
    config,
    log,
    authenticate: logRefusals(authenticate, { log, addressOf, route: SOCKET_PATH }),
    clientOf,
  })
  const { nodes, self, clock } = parts
  const forwarding = nodes && createNodeForwarding({ self, nodes, clock })
  /** The node that has the connection of this request, if it is another one. */
  const otherNode = (incoming: IncomingMessage): string | undefined => {
    const nodeId = isForwarded(incoming) ? undefined : nodeOfConnection(incoming)
    return nodeId === self.nodeId ? undefined : nodeId
  }
  return {
    name: 'blade',
    paths: [API, SOCKET_PATH.replace(/\/$/, '')],
    routes: () =>
      createBladeRest({
        parts,
        config,
        log,
        authenticate,
        // Blade answers for everything below `/api` except for what other doors own there.
        foreignPaths: () =>
          doors()
            .flatMap(({ paths }) => paths)
            .filter((path) => path.startsWith(`${API}/`)),
      }),
    upgrade: {
      path: SOCKET_PATH,
      protocol: 'websocket',
      async upgrade({ incoming, socket, head }) {
        const other = otherNode(incoming)
        if (other !== undefined && (await forwarding?.upgrade(other, incoming, socket)) === true) return
        sockets.handleUpgrade(incoming, socket, head)
      },
    },
    direct: {
      path: SOCKET_PATH,
      handle(incoming, outgoing) {
        const other = otherNode(incoming)
        if (other === undefined || forwarding === undefined) return sockets.handleRequest(incoming, outgoing)
        void forwarding.request(other, incoming, outgoing).then((isForwarded) => {
          if (!isForwarded) sockets.handleRequest(incoming, outgoing)
        })
      },
    },
    refuse: ({ message }) => ({ detail: message }),
    clients: () => sockets.clients(),
    present() {
      const session = presentSession(describeSessions(parts))
      return { recorded: async (recorded) => session.recorded(recorded), settle: () => session.settle() }
    },
    readRows: (asked) => rows.read(asked),
    end: () => sockets.close(),
    close: () => sockets.close(),
  }
}
