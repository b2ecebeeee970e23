import type { AgentCatalog } from '@polylogue/engine'
import { isMcpTool, type McpPool } from '@polylogue/tools'
import { Hono } from 'hono'
import type { Authenticate } from '../auth/authenticate.ts'
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
      servers: mcp.health(),
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
