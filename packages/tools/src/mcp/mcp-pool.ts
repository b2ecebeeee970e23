import type { Clock, Digest, LogEntry } from '@polylogue/engine'
import { createAllowance } from '../web/allowance.ts'
import { createMcpConnection, type McpConnection, type McpHealth } from './mcp-connection.ts'
import { identityOf, keyOfServer, type McpServer } from './mcp-server.ts'
import { createMcpPrompt, type McpPrompt } from './mcp-prompt.ts'
import { createMcpTool, type McpTool } from './mcp-tool.ts'
import { nameServers, nameTool } from './tool-names.ts'

export interface McpPoolOptions {
  readonly clock: Clock
  readonly digest: Digest
  readonly log: (entry: LogEntry) => void
  /** Further addresses for servers that must be on the public network. */
  readonly allowHosts?: readonly string[]
  /** No sandbox works on this machine, so only the server's own user may use tools of programs. */
  readonly isUnconfined?: boolean
  /** The folder that lists running programs. `sweepLeftovers` reads it at the next start. */
  readonly stateDir: string
}

/** Connections to MCP servers, one per configuration. A connection stays open while it is held. */
export interface McpPool {
  /**
   * Returns immediately. Servers are connected in the background, and their tools appear when they are ready.
   * Holders of one scope share connections: a session with its own servers is a separate scope. `beside` names
   * the servers whose tools are used together with these: no tool gets a name that one of theirs could have, unless the
   * servers have the same name.
   */
  hold(servers: readonly McpServer[], options?: HoldOptions): McpHold
  /** The status of servers without a scope, in the order in which they were opened. */
  health(): readonly McpHealth[]
  /** Resolves when the first connection attempt of each held server has ended, successfully or not. */
  settled(): Promise<void>
  /** Calls the listener after each change of a state or a list of tools. Returns a function that stops this. */
  onChange(listener: () => void): () => void
  /** Closes all connections. Idempotent. Resolves when no process is left. */
  close(): Promise<void>
}

export interface HoldOptions {
  readonly scope?: string
  readonly beside?: readonly string[]
}

export interface McpHold {
  /** The current tools. Returns the same array as long as nothing changes. */
  tools(): readonly McpTool[]
  /** The current prompts. */
  prompts(): readonly McpPrompt[]
  health(): readonly McpHealth[]
  /** Resolves when the first attempt of each server has ended, successfully or not. */
  settled(): Promise<void>
  /** Idempotent. Resolves when the connections that nobody else holds are closed and their processes are gone. */
  release(): Promise<void>
}

interface Shared {
  readonly connection: McpConnection
  readonly scope: string
  holders: number
}

const SHARED_SCOPE = ''

export function createMcpPool(options: McpPoolOptions): McpPool {
  const { clock, digest, log, stateDir } = options
  const arePrograms = options.isUnconfined === true ? 'unconfined' : 'allowed'
  const allowance = createAllowance(options.allowHosts ?? [])
  const connections = new Map<string, Shared>()
  const listeners = new Set<() => void>()
  let revision = 0
  let isClosed = false

  function onChange(): void {
    revision += 1
    for (const listener of listeners) listener()
  }

  function take(server: McpServer, scope: string): string {
    const key = keyOfServer(server, scope, digest)
    const known = connections.get(key)
    if (known) known.holders += 1
    else {
      const connection = createMcpConnection({ server, clock, digest, log, stateDir, allowance, onChange })
      connections.set(key, { connection, scope, holders: 1 })
    }
    return key
  }

  async function give(key: string): Promise<void> {
    const shared = connections.get(key)
    if (shared === undefined) return
    shared.holders -= 1
    if (shared.holders > 0) return
    connections.delete(key)
    await shared.connection.close()
  }

  function listOf(held: readonly McpConnection[], beside: readonly string[], scope: string): readonly McpTool[] {
    const names = new Set([...held.map(({ server }) => server.name), ...beside])
    const parts = nameServers([...names], digest)
    const tools = new Map<string, McpTool>()
    for (const connection of held) {
      const { name: serverName } = connection.server
      for (const definition of connection.definitions()) {
        const name = nameTool(parts.get(serverName) ?? '', definition.name, digest)
        const warn = (problem: string): void =>
          log({ level: 'warn', message: `tool ${name}: ${problem}`, mcpServer: serverName })
        if (tools.has(name)) warn('its name is taken by another tool of the same server; it is left out')
        else {
          const bound = scope === SHARED_SCOPE ? {} : { identity: identityOf(connection.server) }
          tools.set(name, createMcpTool({ name, connection, definition, digest, warn, arePrograms, ...bound }))
        }
      }
    }
    return [...tools.values()]
  }

  function promptsOf(held: readonly McpConnection[], beside: readonly string[]): readonly McpPrompt[] {
    const parts = nameServers([...new Set([...held.map(({ server }) => server.name), ...beside])], digest)
    return held.flatMap((connection) =>
      connection
        .prompts()
        .map((prompt) =>
          createMcpPrompt(nameTool(parts.get(connection.server.name) ?? '', prompt.name, digest), connection, prompt),
        ),
    )
  }

  return {
    hold(servers, { scope = SHARED_SCOPE, beside = [] } = {}) {
      if (isClosed) throw new Error('the pool is closed')
      const keys = servers.map((server) => take(server, scope))
      const held = keys.flatMap((key) => connections.get(key)?.connection ?? [])
      let known: { readonly revision: number; readonly tools: readonly McpTool[] } | undefined
      let released: Promise<void> | undefined
      return {
        tools() {
          if (known?.revision !== revision) known = { revision, tools: listOf(held, beside, scope) }
          return known.tools
        },
        prompts: () => promptsOf(held, beside),
        health: () => held.map((connection) => connection.health()),
        settled: async () => void (await Promise.all(held.map((connection) => connection.settled()))),
        release: () => (released ??= Promise.all(keys.map(give)).then(() => {})),
      }
    },
    health: () =>
      [...connections.values()]
        .filter(({ scope }) => scope === SHARED_SCOPE)
        .map(({ connection }) => connection.health()),
    settled: async () =>
      void (await Promise.all([...connections.values()].map(({ connection }) => connection.settled()))),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      isClosed = true
      await Promise.all([...connections.values()].map(({ connection }) => connection.close()))
    },
  }
}
