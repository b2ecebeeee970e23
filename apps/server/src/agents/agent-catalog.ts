import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentCatalog, AgentDefinition, Clock, EditorOf, LogEntry, MemoryStore, Tool } from '@polylogue/engine'
import type { Environment } from '@polylogue/models'
import {
  createBackgroundProcesses,
  type BackgroundProcesses,
  type ProtectedSet,
  type ScheduleToolOptions,
} from '@polylogue/tools'
import { ConfigError } from '../config/config-error.ts'
import type { LoadedAgent, LoadedConfig } from '../config/load-config.ts'
import { findModel, type ChosenModel, type ModelParts } from './agent-models.ts'
import { ASSISTANT, createAssistant, createGuide } from './assistant.ts'
import { createServerProtectedSet } from '../platform/server-protected-set.ts'
import { scheduleNothing } from '../schedules/schedule-tool-parts.ts'
import { CODER, createCoder } from './coder/coder.ts'
import { createBuiltInTools, outputsDir, type BuiltInTools } from './built-in-tools.ts'
import { createScriptedAgents } from './scripted-agents.ts'
import { BARE_AGENT } from './scripted-names.ts'

export interface ServerAgents extends AgentCatalog {
  readonly defaultName: string
  /** The default of `polylogue acp` and `polylogue run`. */
  readonly localDefaultName: string
}

export interface CatalogParts {
  /** Also serve the agents `scripted` and `scripted-min`. */
  readonly scripted: boolean
  readonly clock: Clock
  /** Of agents that name none; the demo if absent. */
  readonly defaultModel?: string
  /** Where keys and addresses of providers are. */
  readonly env?: Environment
  readonly dataDir?: string
  /** Where the files of sessions are. Default: the data directory. */
  readonly filesDir?: string
  /** What tools must not touch. Default: what the configuration and the data directory tell. */
  readonly protectedSet?: ProtectedSet
  /** No sandbox works here. Default: one does. */
  readonly isUnconfined?: boolean
  /** What the tool `Remember` does; without it, that tool fails. */
  readonly remember?: MemoryStore['addMemory']
  /** What the tool `Schedule` works with; without it, that tool fails. */
  readonly schedule?: ScheduleToolOptions
  /** The commands that `Bash` keeps running. Default: those of this catalog alone. */
  readonly processes?: BackgroundProcesses
  /** Who has a session open in an editor; without it tools ask none. */
  readonly editorOf?: EditorOf
  /** The tools of MCP servers, as they are at the moment; without it there are none. */
  readonly mcpTools?: (servers: readonly string[]) => () => readonly Tool[]
  readonly log?: (entry: LogEntry) => void
}

/**
 * All agents of this server. Throws `ConfigError` when two have one name, the default agent is not among them, or one
 * has a model that does not exist.
 */
export function createAgentCatalog(
  config: LoadedConfig,
  {
    scripted,
    clock,
    defaultModel = 'demo',
    env = {},
    dataDir,
    filesDir,
    protectedSet,
    isUnconfined = false,
    remember = rememberNothing,
    schedule = scheduleNothing,
    processes = createBackgroundProcesses(),
    editorOf,
    mcpTools = () => () => [],
    log = () => undefined,
  }: CatalogParts,
): ServerAgents {
  const parts: ModelParts = { clock, env, log, providers: config.providers }
  const { maxSteps } = config.limits
  const toolsDir = dataDir ?? join(tmpdir(), 'polylogue')
  const builtIns = createBuiltInTools({
    ...config,
    clock,
    remember,
    schedule,
    processes,
    editorOf,
    dataDir: toolsDir,
    outputDir: outputsDir(filesDir ?? toolsDir),
    isUnconfined,
    protectedSet: protectedSet ?? createServerProtectedSet({ dataDir: toolsDir, databaseFiles: [], config }),
  })
  const fallback = (): ChosenModel => findModel(defaultModel, originOfDefault(config, env), parts)
  const builtIn = (): readonly AgentDefinition[] => {
    const own = { ...fallback(), maxSteps, tools: builtIns.all([]) }
    if (defaultModel !== 'demo') return [createAssistant(own), createCoder(own)]
    return [ASSISTANT, CODER].map((name) => createGuide({ ...own, name, clock, dataDir }))
  }
  const list = [
    ...config.agents.map((agent) => {
      const chosen = modelOf(agent, parts) ?? fallback()
      return toDefinition(agent, { config, builtIns, chosen })
    }),
    ...offeredBuiltIns(config, builtIn),
    ...(scripted ? createScriptedAgents({ clock, maxSteps, tools: builtIns.all([]) }) : []),
  ]
  const agents = new Map<string, AgentDefinition>()
  for (const [index, agent] of list.entries()) {
    if (agents.has(agent.name)) throw new ConfigError(`${originOf(config, agent)}: the name ${agent.name} is taken`)
    const servers = config.agents[index]?.mcpServers ?? config.mcpServers.map(({ name }) => name)
    if (servers.length > 0 && agent.name !== BARE_AGENT) list[index] = withLiveTools(agent, mcpTools(servers))
    agents.set(agent.name, list[index] ?? agent)
  }
  const defaultName = defaultNameOf(config, [...agents.keys()])
  const isConfigured = config.agents.length > 0 || config.defaultAgent !== undefined
  return {
    find: (name) => agents.get(name),
    list: () => list,
    defaultName,
    localDefaultName: isConfigured ? defaultName : CODER,
  }
}

/** The built-in agents are offered where no agent is configured, or where the configuration names one as its default. */
function offeredBuiltIns(
  { agents, defaultAgent }: LoadedConfig,
  builtIn: () => readonly AgentDefinition[],
): readonly AgentDefinition[] {
  if (agents.length === 0) return builtIn()
  const isNamed = defaultAgent === ASSISTANT || defaultAgent === CODER
  if (!isNamed || agents.some(({ name }) => name === defaultAgent)) return []
  return builtIn().filter(({ name }) => name === defaultAgent)
}

/** Reads an agent's tools on every access, because MCP servers connect, disconnect and change their tools. */
function withLiveTools(agent: AgentDefinition, live: () => readonly Tool[]): AgentDefinition {
  const { tools: own } = agent
  let known: { readonly live: readonly Tool[]; readonly tools: readonly Tool[] } | undefined
  return {
    ...agent,
    get tools() {
      const now = live()
      if (known?.live !== now) known = { live: now, tools: [...own, ...now] }
      return known.tools
    },
  }
}

const rememberNothing: MemoryStore['addMemory'] = () => Promise.reject(new Error('Nothing is remembered here.'))

/** Where the default model comes from, for a message. */
function originOfDefault({ file, defaultModel }: LoadedConfig, env: Environment): string {
  if (defaultModel !== undefined) return `${file}: defaultModel`
  return env['POLYLOGUE_MODEL'] ? 'POLYLOGUE_MODEL' : 'the default model'
}

function originOf({ agents }: LoadedConfig, { name }: AgentDefinition): string {
  return agents.findLast((agent) => agent.name === name)?.origin ?? 'agents'
}

function defaultNameOf({ file, defaultAgent }: LoadedConfig, names: readonly string[]): string {
  const [first = ''] = names
  if (defaultAgent === undefined) return first
  if (names.includes(defaultAgent)) return defaultAgent
  throw new ConfigError(`${file}: defaultAgent: no agent is named ${defaultAgent}; there are ${names.join(', ')}`)
}

interface DefinitionParts {
  readonly config: LoadedConfig
  readonly builtIns: BuiltInTools
  readonly chosen: ChosenModel
}

function toDefinition(agent: LoadedAgent, { config, builtIns, chosen }: DefinitionParts): AgentDefinition {
  const { agents, limits } = config
  const { origin: _origin, workspace: _workspace, mcpServers: _servers, subAgents: names, ...settings } = agent
  const subAgents = agents.filter(({ name }) => names.includes(name))
  const tools = agent.tools.map((tool) => (typeof tool === 'string' ? builtIns.find(tool, subAgents) : tool))
  return { ...settings, tools, maxSteps: agent.maxSteps ?? limits.maxSteps, ...chosen }
}

function modelOf({ name, model, modelName, origin }: LoadedAgent, parts: ModelParts): ChosenModel | undefined {
  if (model === undefined) return undefined
  if (typeof model !== 'string') return { model, modelName: modelName ?? `custom/${name}` }
  return findModel(model, `${origin}: model`, parts)
}
