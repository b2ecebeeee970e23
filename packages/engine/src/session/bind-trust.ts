import type { ToolAccess } from '../events/session-settings.ts'
import type { AgentDefinition } from '../ports/agent.ts'

/**
 * Binds trust to the current definition of a tool. If an MCP server changes the tool later, calls need an approval
 * again. Naming the tool once more in the same session does not renew the trust, because the client cannot know that
 * the tool has changed.
 */
export function bindTrust(access: ToolAccess, { tools }: AgentDefinition, before?: ToolAccess): ToolAccess {
  if (access.type !== 'listed') return access
  return {
    ...access,
    tools: access.tools.map(({ name, trust }) => {
      const known = before?.type === 'listed' ? before.tools.find((grant) => grant.name === name) : undefined
      const trusted = known?.trust === true ? known.definition : tools.find((tool) => tool.name === name)?.definition
      return { name, ...(trust !== undefined && { trust }), ...(trust === true && trusted && { definition: trusted }) }
    }),
  }
}
