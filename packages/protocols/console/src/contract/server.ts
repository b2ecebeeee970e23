import { z } from 'zod'
import { count, time } from './fields.ts'
import { defineOperations, type Sent } from './operation.ts'

export const serverStatus = z
  .object({
    pid: z.number(),
    version: z.string(),
    phase: z.enum(['starting', 'ready', 'draining']),
    /** Absent when the server listens on its owner socket only. */
    url: z.string().optional(),
    startedAt: time,
    agents: z.array(z.string()),
    defaultAgent: z.string(),
    /** The default of `polylogue acp` and `polylogue run`. */
    localDefaultAgent: z.string().optional(),
    /** The agents that `polylogue run` lets work in the current folder. */
    worksInPlace: z.array(z.string()).optional(),
    /** The agents whose model is the built-in demo. */
    demoAgents: z.array(z.string()).optional(),
    doors: z.array(z.string()),
    /** What confines shell commands, such as `bubblewrap` or `none`. */
    sandbox: z.string(),
    /** What confines the file tools. */
    files: z.string(),
  })
  .meta({ id: 'ConsoleServerStatus' })
export type ServerStatus = Sent<z.infer<typeof serverStatus>>

const mcpServer = z
  .object({
    name: z.string(),
    state: z.string(),
    /** For the user `local` only: it can name paths and programs of the machine. */
    lastError: z.string().optional(),
    tools: count,
    since: time,
  })
  .meta({ id: 'ConsoleMcpServer' })
export type McpServer = Sent<z.infer<typeof mcpServer>>

const mcpTool = z
  .object({
    name: z.string(),
    server: z.string(),
    title: z.string().optional(),
    description: z.string(),
    effect: z.enum(['readonly', 'idempotent', 'unsafe']),
  })
  .meta({ id: 'ConsoleMcpTool' })
export type McpTool = Sent<z.infer<typeof mcpTool>>

const tag = 'server'

export const serverOperations = defineOperations({
  readStatus: {
    method: 'GET',
    path: '/status',
    tag,
    summary: 'Read the version, phase, agents and doors of the server.',
    status: 200,
    answer: serverStatus,
  },
  readMe: {
    method: 'GET',
    path: '/me',
    tag,
    summary: 'Read which user and key a request speaks for.',
    status: 200,
    answer: z.object({
      user: z.string(),
      via: z.enum(['key', 'cookie', 'owner-socket']),
      keyId: z.string().optional(),
    }),
  },
  readMcp: {
    method: 'GET',
    path: '/mcp',
    tag,
    summary: 'Read the health of the MCP servers, and their tools.',
    status: 200,
    answer: z.object({ servers: z.array(mcpServer), tools: z.array(mcpTool) }),
  },
})
