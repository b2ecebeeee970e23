import {
  asSessionId,
  asUserId,
  createEngine,
  type AgentDefinition,
  type Engine,
  type EngineOptions,
  type LogEntry,
  type Model,
  type OfferedModel,
  type Tool,
} from '@polylogue/engine'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_LIMITS, serveAcp, type AcpConnectionOptions, type AcpDeps, type AcpLimits } from '../index.ts'
import { WireClient, type Frame, type FrameCheck } from './wire-client.ts'

/** The fakes under the engine, from testkit. */
export type WorldParts = Pick<
  EngineOptions,
  'store' | 'clock' | 'ids' | 'digest' | 'secretBox' | 'rules' | 'workspaces' | 'operator'
> & {
  readonly model: Model
  readonly check: () => Promise<FrameCheck>
}

export interface WorldOptions {
  readonly tools?: readonly Tool[]
  readonly others?: readonly AgentDefinition[]
  readonly maxSteps?: number
  readonly contextWindow?: number
  /** What is offered. Default: the model of the agent. */
  readonly offered?: readonly OfferedModel[]
  /** Called when servers of the user's own are asked for their models. */
  readonly askServers?: () => Promise<void>
  /** Thinking levels of the models of `openai`. */
  readonly thinkingLevels?: readonly string[]
  /** Providers that have a key. */
  readonly providers?: readonly string[]
  readonly providerResolver?: AcpDeps['providers']
  readonly sessionServers?: AcpDeps['sessionServers']
  readonly limits?: Partial<AcpLimits>
  readonly editors?: AcpDeps['editors']
  readonly memories?: AcpDeps['memories']
  readonly commands?: AcpDeps['commands']
  /** What the door takes for the engine. */
  readonly around?: (engine: Engine) => Engine
}

export type ConnectOptions = Partial<Omit<AcpConnectionOptions, 'input' | 'output'>> & {
  /** Of the handshake; `null`: none is made. */
  readonly capabilities?: object | null
  readonly clientInfo?: { readonly name: string; readonly version: string }
}

/** An engine with the door in front of it. Only model, tools, clock and store are fakes. */
export function openWorld<Parts extends WorldParts>(parts: Parts, options: WorldOptions = {}) {
  const { model, clock, digest } = parts
  const { providers = ['fake', 'openai'] } = options
  const cwd = mkdtempSync(join(tmpdir(), 'acp-'))
  const logged: LogEntry[] = []
  const log = (entry: LogEntry): void => void logged.push(entry)
  const agent: AgentDefinition = {
    name: 'tester',
    version: '1.0.0',
    instructions: 'Test.',
    model,
    modelName: 'fake/model',
    tools: options.tools ?? [],
    options: [],
    features: { histories: ['full'], streams: ['delta'], clientTools: false, images: ['data'] },
    maxSteps: options.maxSteps ?? 10,
    ...(options.contextWindow !== undefined && { contextWindow: options.contextWindow }),
  }
  const all = [agent, ...(options.others ?? [])]
  const agents = { find: (name: string) => all.find((one) => one.name === name), list: () => all }
  const models: AcpDeps['models'] = {
    askServers: async () => options.askServers?.(),
    find(name) {
      const provider = name.slice(0, name.indexOf('/'))
      if (!providers.includes(provider)) return undefined
      const { thinkingLevels } = options
      const thinks = provider === 'openai' && thinkingLevels !== undefined
      return { model: thinks ? { ...model, thinkingLevels } : model, modelName: name }
    },
    list: () => options.offered ?? [{ name: 'fake/model', title: 'The model' }],
  }
  const engine = createEngine({ ...parts, agents, models, recovery: 'continue', owner: 'test', log })
  const deps: AcpDeps = {
    engine: options.around?.(engine) ?? engine,
    agents,
    models,
    providers: options.providerResolver ?? { canResolve: async (provider) => providers.includes(provider) },
    sessionServers: options.sessionServers ?? { open: async () => undefined, close: async () => undefined },
    ...(options.editors && { editors: options.editors }),
    ...(options.memories && { memories: options.memories }),
    commands: options.commands ?? { list: () => [], run: async () => undefined },
    workspaces: parts.workspaces,
    clock,
    digest,
    version: '1.2.3',
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    log,
  }
  const clients: WireClient[] = []

  /** Both ends of a connection, for any kind of client. */
  function serve(given: Partial<AcpConnectionOptions> = {}) {
    const up = new TransformStream<Uint8Array, Uint8Array>()
    const down = new TransformStream<Uint8Array, Uint8Array>()
    const connection = serveAcp(
      {
        input: up.readable,
        output: down.writable,
        userId: asUserId('ann'),
        agent: 'tester',
        profile: 'standard',
        rights: { stdioMcpServers: true, editorOffers: true },
        recovery: 'interrupt',
        ...given,
      },
      deps,
    )
    return { connection, toAgent: up.writable, fromAgent: down.readable }
  }

  async function connect({ capabilities = {}, clientInfo, ...given }: ConnectOptions = {}) {
    const { connection, toAgent, fromAgent } = serve(given)
    const client = new WireClient(toAgent, fromAgent, await parts.check())
    clients.push(client)
    if (capabilities !== null) {
      const info = clientInfo && { clientInfo }
      await client.result('initialize', { protocolVersion: 1, clientCapabilities: capabilities, ...info })
    }
    const newSession = async (more: object = {}): Promise<string> =>
      (await client.result('session/new', { cwd, mcpServers: [], ...more })).sessionId
    const say = (sessionId: string, text: string, more: object = {}): Promise<Frame> =>
      client.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }], ...more })
    return { connection, client, newSession, say }
  }

  return {
    ...parts,
    engine,
    agents,
    cwd,
    logged,
    user: asUserId('ann'),
    connect,
    serve,
    /** Resolves when the next turn of the session has ended. */
    async turnEnded(sessionId: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { lastSeq } = await engine.readSession(asUserId('ann'), asSessionId(sessionId))
      await engine.attach(asUserId('ann'), asSessionId(sessionId), {
        after: { seq: lastSeq },
        reader: {
          recorded: ({ event }) => void (event.type === 'turn.ended' && resolve()),
          delta: () => undefined,
          closed: () => undefined,
        },
      })
      return promise
    },
    recorded: async (sessionId: string) =>
      (await parts.store.readEvents(asSessionId(sessionId), 0, 10_000)).map(({ event }) => event),
    /** Answers what was wrong with frames that any client got. */
    async close(): Promise<readonly string[]> {
      await Promise.all(clients.map((client) => client.leave()))
      await engine.stop(0)
      rmSync(cwd, { recursive: true, force: true })
      return clients.flatMap(({ problems, problemOfEnd }) => {
        return problemOfEnd instanceof SyntaxError ? [...problems, problemOfEnd.message] : problems
      })
    },
  }
}
