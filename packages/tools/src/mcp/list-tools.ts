import type { Client } from '@modelcontextprotocol/client'
import type { Digest } from '@polylogue/engine'
import { setImmediate as giveWay } from 'node:timers/promises'
import { z } from 'zod'
import { MOST_LISTED, MOST_PAGES, MOST_PROBLEMS, MOST_TOOLS, NO_TIMEOUT } from './mcp-limits.ts'
import { parseToolDefinition, type ToolDefinition } from './tool-definition.ts'
import { unlessAborted } from './unless-aborted.ts'

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().max(65_536).optional() })

export interface ListedTools {
  readonly definitions: readonly ToolDefinition[]
  /** One line for each tool that was left out. */
  readonly problems: readonly string[]
}

/** Reads the whole list. A tool that cannot be offered is left out and reported. */
export async function listTools(client: Client, digest: Digest, signal: AbortSignal): Promise<ListedTools> {
  const definitions = new Map<string, ToolDefinition>()
  const problems: string[] = []
  const complain = (problem: string): void => {
    if (problems.length < MOST_PROBLEMS) problems.push(problem)
  }
  let seen = 0
  if (client.getServerCapabilities()?.tools === undefined) return { definitions: [], problems }
  let cursor: string | undefined
  for (let pages = 0; ; pages += 1) {
    if (pages === MOST_PAGES) throw new Error(`its list of tools has more than ${MOST_PAGES} pages`)
    const params = cursor === undefined ? {} : { cursor }
    const request = client.request({ method: 'tools/list', params }, page, { signal, timeout: NO_TIMEOUT })
    const { tools, nextCursor } = await unlessAborted(request, signal)
    for (const tool of tools) {
      seen += 1
      // Its schema may be large. Others work in between.
      await giveWay()
      if (definitions.size === MOST_TOOLS || seen > MOST_LISTED) {
        complain(`it has more than ${definitions.size} tools: the others are left out`)
        return { definitions: [...definitions.values()], problems }
      }
      try {
        const definition = parseToolDefinition(tool, digest)
        if (definitions.has(definition.name)) complain(`tool ${definition.name} is listed twice`)
        else definitions.set(definition.name, definition)
      } catch (error) {
        complain(`tool ${nameOf(tool)} is left out: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    if (nextCursor === undefined) return { definitions: [...definitions.values()], problems }
    cursor = nextCursor
  }
}

function nameOf(tool: unknown): string {
  const named = z.object({ name: z.string() }).safeParse(tool)
  return named.success ? JSON.stringify(named.data.name.slice(0, 64)) : 'without a name'
}
