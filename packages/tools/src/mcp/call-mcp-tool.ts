// The only code that calls a server's tools.
import {
  type Digest,
  type JsonObject,
  type ToolInvocation,
  type ToolOutput,
  canonicalJson,
  requireGrant,
} from '@polylogue/engine'
import { isJsonObject } from '../split-meta.ts'
import type { McpConnection } from './mcp-connection.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { toOutput } from './tool-result.ts'

export interface McpToolCall {
  /** Our name for the tool. */
  readonly tool: string
  readonly connection: McpConnection
  readonly definition: ToolDefinition
  readonly invocation: ToolInvocation
  readonly digest: Digest
  readonly warn: (problem: string) => void
}

const LONGEST_PROGRESS = 1000

/** Rejects with a sentence for the model. Also rejects a call that was not granted exactly like this. */
export async function callMcpTool(call: McpToolCall): Promise<ToolOutput> {
  const { tool, connection, definition, invocation, digest, warn } = call
  const { grant, signal, progress } = invocation
  requireGrant(grant, tool)
  const input = isJsonObject(invocation.input) ? invocation.input : ({} satisfies JsonObject)
  if (canonicalJson(grant.call.input) !== canonicalJson(input)) throw new Error('the grant is for another input')
  const result = await connection.call({
    definition,
    input,
    signal,
    onProgress: ({ message }) => {
      if (message !== undefined && message !== '') progress(`${message.slice(0, LONGEST_PROGRESS)}\n`)
    },
  })
  return toOutput(result, { digest, warn })
}
