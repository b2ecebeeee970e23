import type { Clock, Engine, EventStore, LogEntry, MemoryStore, SessionId, Tool } from '@polylogue/engine'
import {
  createBackgroundProcesses,
  createMcpPool,
  type BackgroundProcesses,
  type McpPool,
  type McpPrompt,
  type McpHold,
  type ProtectedSet,
} from '@polylogue/tools'
import { createOpenEditors, type OpenEditors } from '../acp/open-editors.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Redactor } from '../log/redactor.ts'
import type { Confinement } from '../platform/confinement.ts'
import { sha256 } from '../platform/sha256.ts'
import type { Schedules } from '../schedules/create-schedules.ts'
import { createScheduleToolParts } from '../schedules/schedule-tool-parts.ts'
import type { ServeOptions } from '../serve-options.ts'
import { createSessionTools, type SessionTools } from '../session-tools/session-tools.ts'
import { sessionFilesDir } from '../workspaces/session-files.ts'
import { createAgentCatalog, type ServerAgents } from './agent-catalog.ts'
import { chooseModel } from './agent-models.ts'
import { bashStateDir } from './built-in-tools.ts'
import { findKeyless, type KeylessAgent } from './find-keyless.ts'
import { createModelCatalog, type ServerModels } from './model-catalog.ts'

/** The agents, their models and everything that gives them tools. */
export interface AgentParts {
  readonly agents: ServerAgents
  readonly models: ServerModels
  /** Which models answer, for the operator. */
  readonly modelNote: string
  readonly keyless: readonly KeylessAgent[]
  readonly mcp: McpPool
  /** Connects to every configured MCP server, in the background. Idempotent. */
  connectServers(): void
  /** Connects, and resolves when each of them is ready or has failed, in bounded time. */
  untilServersTried(): Promise<void>
  readonly sessionTools: SessionTools
  /** The prompts of the MCP servers that a session of this agent has. */
  promptsOf(session: { readonly sessionId: SessionId; readonly agent: string }): readonly McpPrompt[]
  readonly editors: OpenEditors
  /** Commands that keep running after their calls. */
  readonly processes: BackgroundProcesses
}

export interface AgentPartsDeps {
  readonly options: ServeOptions
  readonly config: LoadedConfig
  readonly clock: Clock
  readonly redactor: Redactor
  readonly protectedSet: ProtectedSet
  readonly confinement: Confinement
  readonly skillsFolder: string
  /** What tools use when they run. It exists by then, but not yet when the agents are composed. */
  readonly late: LateParts
  log(entry: LogEntry): void
}

export interface LateParts {
  events(): EventStore
  memories(): MemoryStore
  engine(): Engine
  schedules(): Schedules
}

/** Rejects with a `ConfigError` before any file is created. */
export async function composeAgents(deps: AgentPartsDeps): Promise<AgentParts> {
  const { options, config, clock, redactor, protectedSet, confinement, skillsFolder, late, log } = deps
  const { env } = process
  const { dataDir } = options
  const isUnconfined = confinement.sandbox === 'none'
  const mcp = createMcpPool({
    isUnconfined,
    clock,
    digest: sha256,
    stateDir: bashStateDir(dataDir),
    allowHosts: config.webFetch.allowHosts,
    log,
  })
  const sessionTools = createSessionTools({
    pool: mcp,
    clock,
    digest: sha256,
    configured: config.mcpServers.map(({ name }) => name),
    tryConfigured: () => untilServersTried(),
    directoryOf: (sessionId) => findDirectory(late.events(), sessionId),
    learnSecret: (secret) => redactor.learn(secret),
    skillsFolder,
    areSkillsShared: options.workspaces !== undefined,
    skills: config.skills,
    log,
  })
  const held: (() => readonly Tool[])[] = []
  const holdNamed = (names: readonly string[]): (() => McpHold) => {
    let hold: McpHold | undefined
    // Connects in the background when it is first asked for. Most commands of the CLI never ask.
    return () => (hold ??= mcp.hold(config.mcpServers.filter(({ name }) => names.includes(name))))
  }
  const configuredHold = holdNamed(config.mcpServers.map(({ name }) => name))
  const connectServers = (): void => held.forEach((tools) => tools())
  const untilServersTried = (): Promise<void> => {
    connectServers()
    return mcp.settled()
  }
  const editors = createOpenEditors()
  const processes = createBackgroundProcesses()
  const chosen = await chooseModel(config, { clock, env, providers: config.providers })
  const agents = createAgentCatalog(config, {
    scripted: options.scripted === true,
    clock,
    env,
    dataDir,
    filesDir: sessionFilesDir(options),
    protectedSet,
    isUnconfined,
    ...(chosen && { defaultModel: chosen.name }),
    remember: (userId, memory) => late.memories().addMemory(userId, memory),
    processes,
    editorOf: editors.editorOf,
    schedule: createScheduleToolParts(() => ({ book: late.schedules().book, engine: late.engine() })),
    mcpTools(names) {
      const hold = holdNamed(names)
      const tools = (): readonly Tool[] => hold().tools()
      held.push(tools)
      return tools
    },
    log,
  })
  const models = createModelCatalog(agents, { clock, env, providers: config.providers, log })
  const modelNote = chosen?.sentence ?? [...new Set(agents.list().map(({ modelName }) => modelName))].join(', ')
  const keyless = findKeyless(agents.list(), { config, env })
  for (const { agent, model, sentence } of keyless) {
    log({ level: 'warn', message: `the agent ${sentence}`, agent, model })
  }
  const promptsOf: AgentParts['promptsOf'] = ({ sessionId, agent }) => {
    const brought = sessionTools.promptsOf(sessionId)
    const own = config.agents.find(({ name }) => name === agent)?.mcpServers
    const isOwn = ({ server }: McpPrompt): boolean => !brought.servers.has(server) && own?.includes(server) !== false
    return [...configuredHold().prompts().filter(isOwn), ...brought.prompts]
  }
  return {
    agents,
    models,
    modelNote,
    keyless,
    mcp,
    connectServers,
    sessionTools,
    promptsOf,
    editors,
    processes,
    untilServersTried,
  }
}

async function findDirectory(events: EventStore, sessionId: SessionId): Promise<string | undefined> {
  const [first] = await events.readEvents(sessionId, 0, 1)
  return first?.event.type === 'session.created' ? first.event.settings.directories[0] : undefined
}
