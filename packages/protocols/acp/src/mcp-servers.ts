import { canonicalJson, type Digest, type JsonValue } from '@polylogue/engine'
import { z } from 'zod'
import type { AcpProfile, AcpRights, GivenMcpServer, NamedValue } from './deps.ts'
import { parseParams } from './parse-params.ts'
import { invalidParams } from './rpc/rpc-error.ts'

const notEmpty = z.string().min(1, 'must not be empty')
const orNone = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((list) => list ?? [])
const namedValue = z.object({ name: z.string(), value: z.string() })

const stdio = z.object({
  type: z.literal('stdio').nullish(),
  name: notEmpty,
  command: notEmpty,
  args: orNone(z.string()),
  env: orNone(namedValue),
})
const remote = z.object({
  type: z.enum(['sse', 'http']),
  name: notEmpty,
  url: notEmpty,
  headers: orNone(namedValue),
})
const entry = z.object({ type: z.enum(['stdio', 'sse', 'http'], 'must be stdio, sse or http').nullish() })
const list = z.array(z.unknown())

export interface McpServerTerms {
  readonly profile: AcpProfile
  readonly rights: AcpRights
}

/** When a name occurs twice, the last entry wins. This holds for servers, variables and headers. */
export function parseMcpServers(given: unknown, terms: McpServerTerms): readonly GivenMcpServer[] {
  const servers = parseParams(list, given, 'mcpServers').map((server, index) =>
    parseServer(server, `mcpServers[${index}]`, terms),
  )
  return lastOfEach(servers)
}

function parseServer(given: unknown, field: string, { profile, rights }: McpServerTerms): GivenMcpServer {
  const { type } = parseParams(entry, given, field)
  if (type === undefined || type === null || type === 'stdio') {
    const { name, command, args, env } = parseParams(stdio, given, field)
    if (!rights.stdioMcpServers) throw invalidParams(field, 'transport not supported: stdio')
    return { type: 'stdio', name, command, args, env: lastOfEach(env) }
  }
  if (type === 'http' && profile === 'seed') throw invalidParams(field, 'transport not supported: http')
  const { name, url, headers } = parseParams(remote, given, field)
  return { type, name, url, headers: lastOfEach(headers) }
}

function lastOfEach<Item extends { readonly name: string }>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [item.name, item])).values()]
}

/** A hash of a list of servers. The order of servers matters, the order of keys does not. Reveals no value. */
export function fingerprintOf(servers: readonly GivenMcpServer[], digest: Digest): string {
  return digest(canonicalJson(servers.map(toJson)))
}

function toJson(server: GivenMcpServer): JsonValue {
  const pairs = (list: readonly NamedValue[]): JsonValue => list.map(({ name, value }) => ({ name, value }))
  if (server.type !== 'stdio') {
    return { type: server.type, name: server.name, url: server.url, headers: pairs(server.headers) }
  }
  const { type, name, command, args, env } = server
  return { type, name, command, args: [...args], env: pairs(env) }
}
