import type { AppendRequest, LogEntry, SessionId, Tool } from '@polylogue/engine'
import { isMcpTool, type McpPrompt, type Skill } from '@polylogue/tools'
import {
  createSessionServers,
  type ConnectedClient,
  type HeldServers,
  type SessionServers,
  type SessionServersDeps,
} from './session-servers.ts'
import { createSessionSkills, type SessionSkills } from './session-skills.ts'

export interface SessionToolsDeps extends SessionServersDeps {
  /** Where skills of sessions are kept. */
  readonly skillsFolder: string
  /** Other nodes add skills there too. */
  readonly areSkillsShared?: boolean
  /** Those of the server. */
  readonly skills: readonly Skill[]
  readonly log: (entry: LogEntry) => void
}

/** What one session has besides the tools of its agent. */
export interface SessionTools {
  /**
   * The tools of a session whose agent has `own`: what clients brought, in the place of what has the same name, and
   * without the servers of the configuration that they brought one of the same name for. `own` itself if there is nothing.
   */
  toolsOf(sessionId: SessionId, own: readonly Tool[]): readonly Tool[]
  /** For one connection that may bring MCP servers into sessions. */
  connectServers(client: ConnectedClient): SessionServers
  /** The prompts of MCP servers that clients brought, and the names of these servers. */
  promptsOf(sessionId: SessionId): { readonly prompts: readonly McpPrompt[]; readonly servers: ReadonlySet<string> }
  readonly skills: Omit<SessionSkills, 'forget'>
  /** Told of everything that is recorded, after it was. */
  appended(append: Pick<AppendRequest, 'sessionId' | 'events'>): void
  /** The session was deleted. */
  forget(sessionId: SessionId): Promise<void>
}

export function createSessionTools(deps: SessionToolsDeps): SessionTools {
  const servers = createSessionServers(deps)
  const skills = createSessionSkills({ ...deps, folder: deps.skillsFolder, isShared: deps.areSkillsShared === true })
  const known = new WeakMap<
    object,
    { readonly own: readonly Tool[]; readonly skill?: Tool; readonly tools: readonly Tool[] }
  >()
  return {
    toolsOf(sessionId, own) {
      const held = servers.heldIn(sessionId)
      const skill = skills.tool(sessionId)
      const key = held?.tools ?? skill
      if (key === undefined) return own
      const before = known.get(key)
      if (before?.own === own && before.skill === skill) return before.tools
      const tools = putTogether(own, held, skill)
      known.set(key, { own, tools, ...(skill && { skill }) })
      return tools
    },
    connectServers: servers.connect,
    promptsOf: (sessionId) => ({
      prompts: servers.promptsIn(sessionId),
      servers: servers.heldIn(sessionId)?.names ?? new Set(),
    }),
    appended: servers.appended,
    skills,
    forget: async (sessionId) => void (await Promise.all([servers.forget(sessionId), skills.forget(sessionId)])),
  }
}

function putTogether(own: readonly Tool[], held: HeldServers | undefined, skill: Tool | undefined): readonly Tool[] {
  const added: readonly Tool[] = [...(held?.tools ?? []), ...(skill === undefined ? [] : [skill])]
  const taken = new Set(added.map(({ name }) => name))
  const isReplaced = (tool: Tool): boolean => isMcpTool(tool) && held?.names.has(tool.server) === true
  return [...own.filter((tool) => !taken.has(tool.name) && !isReplaced(tool)), ...added]
}
