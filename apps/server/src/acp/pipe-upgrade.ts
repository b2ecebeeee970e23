import { Duplex } from 'node:stream'
import type { AgentCatalog } from '@polylogue/engine'
import type { UpgradeRoute } from '../http/upgrade-listener.ts'
import { toEditorOptions, type AcpConnections } from './acp-connections.ts'
import { HANDSHAKE_HEADER, PIPE_PATH, PIPE_PROTOCOL } from './handshake.ts'
import { parseHandshake } from './parse-handshake.ts'

export interface PipeUpgradeDeps {
  readonly connections: AcpConnections
  readonly agents: Pick<AgentCatalog, 'find'> & { readonly defaultName: string }
}

const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PIPE_PROTOCOL}\r\n\r\n`

/** The owner's end of the pipes of editors: after the upgrade the socket carries their frames, and nothing else. */
export function createPipeUpgrade({ connections, agents }: PipeUpgradeDeps): UpgradeRoute {
  return {
    path: PIPE_PATH,
    async upgrade({ incoming, socket, head, refuse }) {
      const handshake = parseHandshake(incoming.headers[HANDSHAKE_HEADER])
      if (incoming.headers.upgrade !== PIPE_PROTOCOL || handshake === undefined) {
        return refuse(400, `Upgrade to ${PIPE_PROTOCOL} with a handshake.`)
      }
      const agent = handshake.agent ?? agents.defaultName
      if (agents.find(agent) === undefined) return refuse(404, `There is no agent called ${agent} here.`)
      const connection = await connections.open(() => {
        socket.write(SWITCHING)
        if (head.length > 0) socket.unshift(head)
        const { readable, writable } = Duplex.toWeb(socket)
        return toEditorOptions(handshake, agent, { input: readable, output: writable })
      })
      if (connection === undefined) refuse(503, 'The server is shutting down.')
    },
  }
}
