import type { Digest } from '@polylogue/engine'
import { canonicalJson } from '@polylogue/engine'

/** One MCP server as somebody configured it: the operator, or the editor that brought it. */
export interface McpServer {
  readonly name: string
  readonly reach: McpReach
  /** The operator vouches for what it says of its tools. Never true of a server that a client brought. */
  readonly trusted: boolean
  /** Somebody named it over the network: it must be on the public network, or where the operator allows. */
  readonly isPublicOnly?: true
  /** How long one call may take. */
  readonly deadlineMs: number
}

export type McpReach =
  | {
      readonly type: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      /** Default: where the host was started. */
      readonly cwd?: string
    }
  | { readonly type: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

export const DEFAULT_DEADLINE_MS = 60_000

/** Equal for servers that one connection can serve. It holds digests only, because a configuration holds secrets. */
export function keyOfServer(server: McpServer, scope: string, digest: Digest): string {
  const { name, reach, trusted, deadlineMs, isPublicOnly = false } = server
  return digest(canonicalJson({ scope, name, reach: { ...reach }, trusted, deadlineMs, isPublicOnly }))
}

/** What must never be repeated in a message: values of variables, of headers, and of what stands in an address. */
export function secretsOf({ reach }: McpServer): readonly string[] {
  if (reach.type === 'stdio') return Object.values(reach.env)
  const { searchParams, username, password } = new URL(reach.url)
  return [...Object.values(reach.headers), ...searchParams.values(), username, password]
}
