import type { Digest, JsonObject } from '@polylogue/engine'
import { canonicalJson } from '@polylogue/engine'

/** One MCP server, configured by the operator or by an editor. */
export interface McpServer {
  readonly name: string
  readonly reach: McpReach
  /** The operator trusts the server's description of its tools. Never true for a client's server. */
  readonly trusted: boolean
  /** A remote client named it, so it must be on the public network or where the operator allows. */
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
      /** Default: the host's start directory. */
      readonly cwd?: string
    }
  | { readonly type: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

export const DEFAULT_DEADLINE_MS = 60_000

/** Equal for servers that can share a connection. It contains only digests, because configurations contain secrets. */
export function keyOfServer(server: McpServer, scope: string, digest: Digest): string {
  const { name, reach, trusted, deadlineMs, isPublicOnly = false } = server
  return digest(canonicalJson({ scope, name, reach: { ...reach }, trusted, deadlineMs, isPublicOnly }))
}

/**
 * What a server is, for approvals of its tools: its program or its address. Values of variables, headers and queries are left
 * out: they hold secrets, which change, and the digest of a short one could be guessed.
 */
export function identityOf({ reach }: McpServer): JsonObject {
  if (reach.type === 'stdio') {
    return { command: reach.command, args: [...reach.args], variables: Object.keys(reach.env).toSorted() }
  }
  const { origin, pathname } = new URL(reach.url)
  return { type: reach.type, origin, pathname }
}

/** The values that no message may contain: of variables, headers and parts of the address. */
export function secretsOf({ reach }: McpServer): readonly string[] {
  if (reach.type === 'stdio') return Object.values(reach.env)
  const { searchParams, username, password } = new URL(reach.url)
  return [...Object.values(reach.headers), ...searchParams.values(), username, password]
}
