import type { AgentCatalog } from '@polylogue/engine'
import { isMcpTool, type McpHealth, type McpPool } from '@polylogue/tools'
import { Hono } from 'hono'
import type { Authenticate } from '../auth/authenticate.ts'
import { LOCAL_USER } from '../auth/key-ring.ts'
import { requireCaller, type CallerEnv } from '../http/require-caller.ts'

/** How the MCP servers of the configuration are, and which tools of theirs there are. */
export function createMcpRoutes(
  mcp: Pick<McpPool, 'health'>,
  agents: Pick<AgentCatalog, 'list'>,
  authenticate: Authenticate,
): Hono<CallerEnv> {
  const routes = new Hono<CallerEnv>()
  routes.use(requireCaller(authenticate))
  routes.get('/', (c) => {
    const all = agents.list().flatMap((agent) => agent.tools)
    const tools = new Map(all.filter(isMcpTool).map((tool) => [tool.name, tool]))
    return c.json({
      servers: c.var.caller.userId === LOCAL_USER ? mcp.health() : mcp.health().map(withoutError),
      tools: [...tools.values()].map(({ name, server, title, description, effect }) => ({
        name,
        server,
        title,
        description,
        effect,
      })),
    })
  })
  return routes
}

/** It quotes paths and programs of this machine, which are the operator's. */
function withoutError({ lastError: _, ...health }: McpHealth): Omit<McpHealth, 'lastError'> {
  return health
}
