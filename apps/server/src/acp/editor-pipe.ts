import type { AgentCatalog } from '@polylogue/engine'
import type { DoorPipe } from '../doors/door.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import { toEditorOptions, type AcpConnections } from './acp-connections.ts'

export interface EditorPipeDeps {
  readonly connections: AcpConnections
  readonly agents: Pick<AgentCatalog, 'find'> & { readonly localDefaultName: string }
}

/** Editors whose process runs on this machine, as its owner. */
export function createEditorPipe({ connections, agents }: EditorPipeDeps): DoorPipe {
  return {
    async open(written, connect) {
      const { parseHandshake } = await import('@polylogue/acp')
      const handshake = parseHandshake(written)
      if (handshake === undefined) throw new HttpRefusal(400, 'The handshake is not valid.')
      const agent = handshake.agent ?? agents.localDefaultName
      if (agents.find(agent) === undefined) throw new HttpRefusal(404, `There is no agent called ${agent}.`)
      const connection = await connections.open(() => toEditorOptions(handshake, agent, connect()))
      if (connection === undefined) throw new HttpRefusal(503, 'The server is shutting down.')
    },
    isBusy: () => connections.hasOpenTurns(),
  }
}
