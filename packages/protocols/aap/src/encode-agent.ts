import type {
  AgentCatalog,
  AgentDefinition,
  AgentFeatures,
  AgentOption,
  ClientTool,
  JsonObject,
  OfferedModel,
  SessionView,
} from '@polylogue/engine'
import type { AapDeps } from './deps.ts'
import { encodeModelOptions, modelOptions } from './model-options.ts'
import type {
  AapVersion,
  WireAgent,
  WireAgentConfig,
  WireAgentOption,
  WireCapabilities,
  WireMeta,
  WireSession,
  WireToolSpec,
} from './wire.ts'

export function encodeMeta(
  version: AapVersion,
  { agents, modelsFor }: Pick<AapDeps, 'agents' | 'modelsFor'>,
): WireMeta {
  return { version, agents: agents.list().map((agent) => encodeAgent(version, agent, modelsFor(agent))) }
}

function encodeAgent(version: AapVersion, agent: AgentDefinition, models: readonly OfferedModel[]): WireAgent {
  const options = [...agent.options, ...modelOptions(agent, models)]
  const tools = exposedTools(agent).map((tool) =>
    encodeTool(version, { ...tool, parameters: withoutDialect(tool.parameters) }),
  )
  return {
    name: agent.name,
    title: agent.title,
    version: agent.version,
    description: agent.description,
    tools: tools.length === 0 ? undefined : tools,
    options: options.length === 0 ? undefined : options.map(encodeOption),
    capabilities: encodeCapabilities(agent.features),
  }
}

const exposedTools = (agent: AgentDefinition) => agent.tools.filter((tool) => tool.exposed)

function encodeTool(version: AapVersion, { name, title, description, parameters }: ClientTool): WireToolSpec {
  const head = title === undefined ? { name, description } : { name, title, description }
  return version === 3 ? { ...head, parameters } : { ...head, inputSchema: parameters }
}

function withoutDialect({ $schema: _, ...parameters }: JsonObject): JsonObject {
  return parameters
}

function encodeOption(option: AgentOption): WireAgentOption {
  const { type, name, title, description } = option
  // The default of a secret is used but never shown.
  const value = type === 'secret' ? '' : option.default
  return { type, name, title, description, options: type === 'select' ? option.choices : undefined, default: value }
}

function encodeCapabilities(features: AgentFeatures): WireCapabilities {
  return {
    history: supported(features.histories),
    stream: supported(features.streams),
    application: features.clientTools ? { tools: {} } : undefined,
    image: supported(features.images),
  }
}

function supported<Name extends string>(
  names: readonly Name[],
): { [name in Name]?: Record<string, never> } | undefined {
  if (names.length === 0) return undefined
  const marks: { [name in Name]?: Record<string, never> } = {}
  for (const name of names) marks[name] = {}
  return marks
}

export function encodeSession(version: AapVersion, session: SessionView, agents: AgentCatalog): WireSession {
  return {
    sessionId: session.sessionId,
    agent: encodeAgentConfig(session, agents.find(session.agent)),
    tools: session.clientTools.length === 0 ? undefined : session.clientTools.map((tool) => encodeTool(version, tool)),
  }
}

/** What the client set, without defaults. A session of another door lists every exposed tool, none of them trusted. */
function encodeAgentConfig(session: SessionView, agent: AgentDefinition | undefined): WireAgentConfig {
  const granted = session.access.type === 'listed' ? session.access.tools : agent && exposedTools(agent)
  const tools = granted?.map((grant) =>
    'trust' in grant ? { name: grant.name, trust: grant.trust } : { name: grant.name },
  )
  const options = { ...session.options, ...encodeModelOptions(session, agent) }
  return {
    name: session.agent,
    tools: tools === undefined || tools.length === 0 ? undefined : tools,
    options: Object.keys(options).length === 0 ? undefined : options,
  }
}
