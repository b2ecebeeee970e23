import type { Clock, Digest, SessionId } from '@polylogue/engine'
import { canonicalJson } from '@polylogue/engine'
import {
  editorMcpServersSchema,
  parseWith,
  type McpHold,
  type McpPool,
  type McpServer,
  type McpTool,
} from '@polylogue/tools'
import { learnGiven, type GivenMcpServer } from './given-mcp-server.ts'

/** MCP servers that clients bring into one session. */
export interface SessionServers {
  /**
   * Holds these servers for the session until `close` was called as often as `open`; the newest list counts. Resolves when
   * they are ready or have failed, or after a few seconds: what is late appears when it is ready. Never rejects for what is
   * wrong with a server: `problem` hears of it, in one sentence.
   */
  open(sessionId: SessionId, servers: readonly GivenMcpServer[], problem: (message: string) => void): Promise<void>
  /** Resolves when no process is left of what nobody holds any more. */
  close(sessionId: SessionId): Promise<void>
}

/** What a session has of them at this moment. */
export interface HeldServers {
  readonly names: ReadonlySet<string>
  /** The same array as long as nothing changes. */
  readonly tools: readonly McpTool[]
}

export interface SessionServersDeps {
  readonly pool: Pick<McpPool, 'hold'>
  readonly clock: Clock
  readonly digest: Digest
  /** Of the servers in the configuration. */
  readonly configured: readonly string[]
  /** Hears every value that no log may show. */
  learnSecret(secret: string): void
}

interface Opened {
  readonly key: string
  readonly names: ReadonlySet<string>
  readonly hold: McpHold
  readonly holders: number
}

/** Long enough for a program that is there; a client waits for its session meanwhile. */
const READY_MS = 5_000

export type SessionServersPart = SessionServers & {
  heldBy(sessionId: SessionId): HeldServers | undefined
  /** Whoever holds them: the session is gone. */
  forget(sessionId: SessionId): Promise<void>
}

export function createSessionServers(deps: SessionServersDeps): SessionServersPart {
  const { pool, clock, digest, configured } = deps
  const opened = new Map<SessionId, Opened>()

  /** Takes the new ones before it gives the old ones back, so that one that is in both lists goes on. */
  function hold(sessionId: SessionId, servers: readonly McpServer[]): Promise<void> {
    const before = opened.get(sessionId)
    const holders = (before?.holders ?? 0) + 1
    const key = digest(canonicalJson(servers.map(({ name, reach }) => ({ name, reach: { ...reach } }))))
    if (before?.key === key) {
      opened.set(sessionId, { ...before, holders })
      return Promise.resolve()
    }
    const names = new Set(servers.map(({ name }) => name))
    opened.set(sessionId, { key, names, holders, hold: pool.hold(servers, { scope: sessionId, beside: configured }) })
    return before?.hold.release() ?? Promise.resolve()
  }

  async function forget(sessionId: SessionId): Promise<void> {
    const known = opened.get(sessionId)
    opened.delete(sessionId)
    await known?.hold.release()
  }

  return {
    async open(sessionId, given, problem) {
      const servers = new Map<string, McpServer>()
      for (const entry of given) {
        learnGiven(entry, deps.learnSecret)
        const parsed = parseWith(editorMcpServersSchema, [entry])
        if (parsed.ok) for (const server of parsed.value) servers.set(server.name, withDirectory(server, entry))
        else problem(`MCP server ${entry.name.slice(0, 128)} cannot be used: ${parsed.problem}`)
      }
      const replaced = hold(sessionId, [...servers.values()])
      const current = opened.get(sessionId)?.hold
      await Promise.all([replaced, current && untilReady(current, problem)])
    },
    async close(sessionId) {
      const known = opened.get(sessionId)
      if (known !== undefined && known.holders > 1) opened.set(sessionId, { ...known, holders: known.holders - 1 })
      else await forget(sessionId)
    },
    heldBy(sessionId) {
      const known = opened.get(sessionId)
      return known && { names: known.names, tools: known.hold.tools() }
    },
    forget,
  }

  async function untilReady(held: McpHold, problem: (message: string) => void): Promise<void> {
    const told = held.settled().then(() => {
      for (const { name, state, lastError = 'it does not answer' } of held.health())
        if (state === 'failed') problem(`MCP server ${name} is not connected: ${lastError}`)
    })
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = clock.setTimer(READY_MS, resolve)
    await Promise.race([told, late])
    timer.cancel()
  }
}

function withDirectory(server: McpServer, given: GivenMcpServer): McpServer {
  if (server.reach.type !== 'stdio' || given.type !== 'stdio' || given.cwd === undefined) return server
  return { ...server, reach: { ...server.reach, cwd: given.cwd } }
}
