import type { AppendRequest, Clock, Digest, SessionId } from '@polylogue/engine'
import {
  editorMcpServersSchema,
  parseWith,
  type McpHold,
  type McpPool,
  type McpPrompt,
  type McpServer,
  type McpTool,
} from '@polylogue/tools'
import { collectGivenSecrets, type GivenMcpServer } from './given-mcp-server.ts'

/** MCP servers that one connection brings into sessions. */
export interface SessionServers {
  /**
   * Holds these servers for the session, instead of those that this connection had brought before. Resolves when they, and
   * those of the configuration, are ready or have failed, or after a few seconds: what is late appears when it is ready.
   * Never rejects for what is wrong with a server: `problem` hears of it, in one sentence.
   */
  open(sessionId: SessionId, servers: readonly GivenMcpServer[], problem: (message: string) => void): Promise<void>
  /** Idempotent. Resolves when no process is left of what no other connection holds. */
  close(sessionId: SessionId): Promise<void>
  /** The connection is gone: what it has not closed is closed when the turn that is at work there has ended. */
  leave(): void
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
  /** Connects to these, unless that is so, and resolves when each of them was tried. */
  tryConfigured(): Promise<void>
  /** Where the programs of a session run; where the server was started unless it says. */
  directoryOf(sessionId: SessionId): Promise<string | undefined>
  /** Hears every value that no log may show. */
  learnSecret(secret: string): void
}

export interface ServersOfSessions {
  /** Its own for each connection. What several of them bring into one session adds up; of one name the newest counts. */
  connect(client: ConnectedClient): SessionServers
  heldIn(sessionId: SessionId): HeldServers | undefined
  /** The prompts of what clients brought. */
  promptsIn(sessionId: SessionId): readonly McpPrompt[]
  /** Told of everything that is recorded, after it was. */
  appended(append: Pick<AppendRequest, 'sessionId' | 'events'>): void
  /** Releases them although they are held: the session is gone. */
  forget(sessionId: SessionId): Promise<void>
}

export interface ConnectedClient {
  /** Over the network: what it names must be on the public network, or where the operator allows. */
  readonly isRemote: boolean
}

interface Brought {
  readonly names: ReadonlySet<string>
  readonly hold: McpHold
}

/** Of one session, by connection, the newest last. */
type Bringing = Map<SessionServers, Brought>

/** Long enough for a program that is there; a client waits for its session meanwhile. */
const READY_MS = 5_000
const MOST_SERVERS = 64

export function createSessionServers(deps: SessionServersDeps): ServersOfSessions {
  const { pool, clock, configured } = deps
  const sessions = new Map<SessionId, Bringing>()
  const gone = new Set<SessionServers>()
  /** Of sessions that have servers, as far as it is known. */
  const resting = new Set<SessionId>()
  const joined = new WeakMap<
    Bringing,
    { readonly lists: readonly (readonly McpTool[])[]; readonly held: HeldServers }
  >()

  function connect(client: ConnectedClient): SessionServers {
    /** The newest wish of each session: one that is withdrawn while it waits must hold nothing. */
    const wishes = new Map<SessionId, symbol>()
    const connection: SessionServers = {
      async open(sessionId, given, problem) {
        const wish = Symbol('open')
        wishes.set(sessionId, wish)
        const directory = await deps.directoryOf(sessionId)
        if (wishes.get(sessionId) !== wish) return
        const servers = parseGiven(given, problem).map((server) => placed(server, client, directory))
        const bringing = sessions.get(sessionId) ?? new Map<SessionServers, Brought>()
        const before = bringing.get(connection)
        const hold = pool.hold(servers, { scope: sessionId, beside: configured })
        bringing.delete(connection)
        bringing.set(connection, { hold, names: new Set(servers.map(({ name }) => name)) })
        sessions.set(sessionId, bringing)
        // The new ones are held already, so that a server that is in both lists goes on.
        await Promise.all([before?.hold.release(), untilReady(hold, problem)])
      },
      async close(sessionId) {
        wishes.delete(sessionId)
        const bringing = sessions.get(sessionId)
        const brought = bringing?.get(connection)
        bringing?.delete(connection)
        if (bringing?.size === 0) sessions.delete(sessionId)
        if (bringing?.size === 0) resting.delete(sessionId)
        await brought?.hold.release()
      },
      leave() {
        gone.add(connection)
        for (const sessionId of sessions.keys()) if (resting.has(sessionId)) closeLeft(sessionId)
        forgetGone()
      },
    }
    return connection
  }

  /** Whatever fails here has been logged by the connection to the server that failed. */
  function closeLeft(sessionId: SessionId): void {
    for (const connection of sessions.get(sessionId)?.keys() ?? []) {
      if (gone.has(connection)) void connection.close(sessionId).catch(() => {})
    }
  }

  function forgetGone(): void {
    const holding = new Set([...sessions.values()].flatMap((bringing) => [...bringing.keys()]))
    for (const connection of gone) if (!holding.has(connection)) gone.delete(connection)
  }

  function parseGiven(given: readonly GivenMcpServer[], problem: (message: string) => void): readonly McpServer[] {
    const servers = new Map<string, McpServer>()
    if (given.length > MOST_SERVERS) problem(`Of ${given.length} MCP servers only the first ${MOST_SERVERS} are used.`)
    for (const entry of given.slice(0, MOST_SERVERS)) {
      collectGivenSecrets(entry, deps.learnSecret)
      const parsed = parseWith(editorMcpServersSchema, [entry])
      if (parsed.ok) for (const server of parsed.value) servers.set(server.name, server)
      else problem(`MCP server ${entry.name.slice(0, 128)} cannot be used: ${parsed.problem}`)
    }
    return [...servers.values()]
  }

  async function untilReady(held: McpHold, problem: (message: string) => void): Promise<void> {
    const told = held.settled().then(() => {
      for (const { name, state, lastError = 'it does not answer' } of held.health())
        if (state === 'failed') problem(`MCP server ${name} is not connected: ${lastError}`)
    })
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = clock.setTimer(READY_MS, resolve)
    await Promise.race([Promise.all([told, deps.tryConfigured()]), late])
    timer.cancel()
  }

  return {
    connect,
    heldIn(sessionId) {
      const bringing = sessions.get(sessionId)
      if (bringing === undefined) return undefined
      const brought = [...bringing.values()]
      const lists = brought.map(({ hold }) => hold.tools())
      const known = joined.get(bringing)
      if (known?.lists.length === lists.length && known.lists.every((list, index) => list === lists[index]))
        return known.held
      const held = join(brought, lists)
      joined.set(bringing, { lists, held })
      return held
    },
    promptsIn: (sessionId) => [...(sessions.get(sessionId)?.values() ?? [])].flatMap(({ hold }) => hold.prompts()),
    appended({ sessionId, events }) {
      if (!sessions.has(sessionId)) return
      const last = events.findLast(({ type }) => type === 'turn.started' || type === 'turn.ended')
      if (last?.type === 'turn.started') resting.delete(sessionId)
      if (last?.type !== 'turn.ended') return
      resting.add(sessionId)
      if (gone.size === 0) return
      closeLeft(sessionId)
      forgetGone()
    },
    async forget(sessionId) {
      resting.delete(sessionId)
      const brought = [...(sessions.get(sessionId)?.values() ?? [])]
      sessions.delete(sessionId)
      await Promise.all(brought.map(({ hold }) => hold.release()))
    },
  }
}

function join(brought: readonly Brought[], lists: readonly (readonly McpTool[])[]): HeldServers {
  const isNewest = (server: string, index: number): boolean =>
    !brought.slice(index + 1).some(({ names }) => names.has(server))
  return {
    names: new Set(brought.flatMap(({ names }) => [...names])),
    tools: lists.flatMap((list, index) => list.filter(({ server }) => isNewest(server, index))),
  }
}

function placed(server: McpServer, { isRemote }: ConnectedClient, cwd: string | undefined): McpServer {
  const { reach } = server
  if (reach.type !== 'stdio') return isRemote ? { ...server, isPublicOnly: true } : server
  return cwd === undefined ? server : { ...server, reach: { ...reach, cwd } }
}
