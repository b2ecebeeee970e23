import { canonicalJson, type JsonObject, type Tool, type ToolEffect } from '@polylogue/engine'
import { type McpToolCall, callMcpTool } from './call-mcp-tool.ts'
import type { McpServer } from './mcp-server.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** A tool of an MCP server. */
export interface McpTool extends Tool {
  /** The digest of the server's description, and of what a client's server is. When it changes, earlier approvals no longer apply. */
  readonly definition: string
  /** The server's name in the configuration. */
  readonly server: string
}

export const isMcpTool = (tool: Tool): tool is McpTool => 'server' in tool && tool.definition !== undefined

export interface McpToolOptions extends Omit<McpToolCall, 'tool' | 'invocation'> {
  readonly name: string
  /** Servers that are programs on this machine count as tools without a sandbox. */
  readonly arePrograms: 'unconfined' | 'allowed'
  /** Of a server that a client brought. Anything can call itself the same and list the same tools. */
  readonly identity?: JsonObject
}

export function createMcpTool(options: McpToolOptions): McpTool {
  const { name, connection, definition, digest, warn, arePrograms, identity } = options
  const { server } = connection
  const title = definition.title ?? definition.name
  return {
    name,
    title,
    // Says that the description comes from the server.
    description: `[From the MCP server ${server.name}] ${definition.description}`.trimEnd(),
    parameters: definition.inputSchema,
    effect: effectOf(definition, server),
    exposed: true,
    kind: 'other',
    nature: 'plain',
    definition: identity ? digest(canonicalJson([identity, definition.digest])) : definition.digest,
    server: server.name,
    ...(arePrograms === 'unconfined' && server.reach.type === 'stdio' && { isUnconfined: true }),
    check: definition.check,
    inspect: () =>
      Promise.resolve({ facts: { type: 'plain' }, preview: { title: `${title} (${server.name})`.slice(0, 256) } }),
    run: (invocation) => callMcpTool({ tool: name, connection, definition, invocation, digest, warn }),
  }
}

/** A server's statements about its tools count only if the operator trusts it. */
function effectOf({ hints }: ToolDefinition, { trusted }: McpServer): ToolEffect {
  if (!trusted) return 'unsafe'
  if (hints.readOnly && !hints.destructive) return 'readonly'
  return hints.idempotent ? 'idempotent' : 'unsafe'
}
