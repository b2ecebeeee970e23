import type { McpServer, serverOperations } from '../contract/server.ts'
import type { Answers } from './answer-operations.ts'
import type { ConsoleDeps } from './deps.ts'

type ServerDeps = Pick<ConsoleDeps, 'status' | 'mcp' | 'isOperator'>

export function answerServer({ status, mcp, isOperator }: ServerDeps): Answers<typeof serverOperations> {
  return {
    async readStatus() {
      return status()
    },
    async readMe({ caller: { userId, via, keyId } }) {
      return { user: userId, via, keyId: via === 'owner-socket' ? undefined : keyId }
    },
    async readMcp({ caller }) {
      const { servers, tools } = mcp()
      return { servers: isOperator(caller.userId) ? servers : servers.map(withoutError), tools }
    },
  }
}

/** It quotes paths and programs of this machine. */
function withoutError({ lastError: _, ...server }: McpServer): McpServer {
  return server
}
