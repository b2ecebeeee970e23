import type { McpConnection } from './mcp-connection.ts'
import type { PromptDefinition } from './list-prompts.ts'

/** A prompt that an MCP server writes. */
export interface McpPrompt extends PromptDefinition {
  /** Named like the tools of the server: `mcp_<server>_<prompt>`. */
  readonly name: string
  readonly server: string
  /** Rejects with a sentence for the user. */
  write(rest: string, signal: AbortSignal): Promise<string>
}

export const createMcpPrompt = (name: string, connection: McpConnection, definition: PromptDefinition): McpPrompt => ({
  ...definition,
  name,
  server: connection.server.name,
  write: (rest, signal) =>
    connection.prompt({ name: definition.name, arguments: toArguments(rest, definition.arguments), signal }),
})

/** Words in order, quoted ones whole. The last argument takes everything that is left. */
export function toArguments(rest: string, names: readonly string[]): Readonly<Record<string, string>> {
  const given: [name: string, value: string][] = []
  let left = rest.trim()
  for (const [index, name] of names.entries()) {
    if (left === '') break
    const [whole = '', quoted, word = ''] = /^(?:"([^"]*)"|(\S+))\s*/.exec(left) ?? []
    const isLast = index === names.length - 1
    given.push([name, isLast && whole !== left ? left : (quoted ?? (isLast ? left : word))])
    left = isLast ? '' : left.slice(whole.length)
  }
  return Object.fromEntries(given)
}
