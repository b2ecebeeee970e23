import { createAcpConnections } from '../acp/acp-connections.ts'
import { toAcpDeps } from '../acp/acp-deps.ts'
import { createEditorPipe } from '../acp/editor-pipe.ts'
import { createWebSocketUpgrade } from '../acp/web-socket-upgrade.ts'
import { writeEntry } from '../log/write-entry.ts'
import type { OpenDoor } from './door-deps.ts'
import type { Presentation } from './door.ts'
import { refuseWithError } from './find-door.ts'

/** The Agent Client Protocol: editors on this machine come by pipe, all others by WebSocket. */
export const openAcp: OpenDoor = ({ parts, config, log, authenticate }) => {
  const connections = createAcpConnections({
    deps: (rights) => toAcpDeps(parts, config, { rights, log }),
    log,
    pace: parts.framePace,
  })
  const { engine, agents, models, streams } = parts
  return {
    name: 'acp',
    paths: ['/acp'],
    upgrade: createWebSocketUpgrade({
      connections,
      agents,
      streams,
      authenticate,
      settings: config.acp,
      ceiling: config.permissions.ceiling,
      frameBytes: config.limits.imageRequestBytes,
    }),
    pipe: createEditorPipe({ connections, agents }),
    refuse: refuseWithError,
    clients: () => connections.clients(),
    present({ userId, sessionId }): Presentation {
      const opened = import('@polylogue/acp').then(({ presentSession }) =>
        presentSession(sessionId, {
          agents,
          models,
          readBlob: (hash) => engine.readBlob(userId, sessionId, { hash }),
          log: (entry) => writeEntry(log, entry),
        }),
      )
      return { recorded: async (recorded) => (await opened)(recorded), settle: () => [] }
    },
    end: () => connections.end(),
    close: () => connections.end(),
  }
}
