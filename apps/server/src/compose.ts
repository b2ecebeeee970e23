import {
  StorageFault,
  createEngine,
  createIds,
  type AgentCatalog,
  type Engine,
  type EventStore,
  type LogEntry,
  type ModelCatalog,
  type Tool,
  type MemoryStore,
  type RuleStore,
  type UsageStore,
  type Workspaces,
} from '@polylogue/engine'
import { openSqliteStores, type SqliteStores } from '@polylogue/store-sqlite'
import { createMcpPool, createResultTool, sweepLeftovers, type McpPool, type McpServer } from '@polylogue/tools'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenEditors, type OpenEditors } from './acp/open-editors.ts'
import { createAgentCatalog, protectedPathsOf } from './agents/agent-catalog.ts'
import { chooseModel } from './agents/agent-models.ts'
import { createModelCatalog } from './agents/model-catalog.ts'
import { bashStateDir, outputsDir } from './agents/built-in-tools.ts'
import { createKeyRing, type KeyRing } from './auth/key-ring.ts'
import type { LoadedConfig } from './config/load-config.ts'
import { createOpenStreams, type OpenStreams } from './limits/open-streams.ts'
import { limitEngine } from './limits/limit-engine.ts'
import { learnFromBox } from './log/known-secrets.ts'
import type { Log } from './log/log.ts'
import type { Redactor } from './log/redactor.ts'
import { createServerMetrics, type ServerMetrics } from './metrics/server-metrics.ts'
import { createFaultLog } from './observe/fault-log.ts'
import { observeStore } from './observe/observed-store.ts'
import { createRunningTurns, type RunningTurns } from './observe/running-turns.ts'
import { watchSessionChanges, type SessionChangesHub } from './observe/session-changes.ts'
import { createTurnObserver } from './observe/turn-observer.ts'
import { createWalWatch } from './observe/wal-watch.ts'
import { tryLock } from './owner/try-lock.ts'
import { parseDatabase } from './parse-database.ts'
import { rememberRules } from './permissions/remembered-rules.ts'
import { capPresets } from './permissions/cap-presets.ts'
import { toOperatorPolicy } from './permissions/permissions-schema.ts'
import { findConfinement, type Confinement } from './platform/confinement.ts'
import { installFailpoints } from './platform/failpoints.ts'
import { randomBytes } from './platform/random-bytes.ts'
import { createSecretBox } from './platform/secret-box.ts'
import { loadSecretKeys } from './platform/secret-key-file.ts'
import { sha256 } from './platform/sha256.ts'
import { systemClock } from './platform/system-clock.ts'
import { EXIT_FAILURE, ServeError } from './serve-error.ts'
import type { ServeOptions } from './serve-options.ts'
import { createSchedules, type Schedules } from './schedules/create-schedules.ts'
import { createScheduleToolParts } from './schedules/schedule-tool-parts.ts'
import { createSessionTools, type SessionTools } from './session-tools/session-tools.ts'
import { createBudgetBook } from './usage/budget-book.ts'
import { findUnlimited } from './usage/find-unlimited.ts'
import { createPriceBook } from './usage/price-book.ts'
import { createSessionWorkspaces } from './workspaces/session-workspaces.ts'

/** The server without its listeners. */
export interface Parts {
  readonly engine: Engine
  readonly agents: AgentCatalog & { readonly defaultName: string }
  readonly models: ModelCatalog
  readonly confinement: Confinement
  /** Which models answer, for the operator. */
  readonly modelNote: string
  readonly events: EventStore
  readonly keys: KeyRing
  readonly rules: RuleStore
  readonly memories: MemoryStore
  readonly usage: UsageStore
  readonly metrics: ServerMetrics
  readonly mcp: McpPool
  readonly sessionTools: SessionTools
  readonly editors: OpenEditors
  readonly schedules: Schedules
  readonly streams: OpenStreams
  readonly turns: RunningTurns
  /** Where sessions work. */
  readonly workspaces: Workspaces
  /** What nothing that clients or models name may touch. */
  readonly protectedPaths: readonly string[]
  readonly onSessionChange: SessionChangesHub['onChange']
  readonly databaseFile: string
  /** The database was made just now. */
  readonly isNew: boolean
  close(): Promise<void>
}

export interface ComposeDeps {
  readonly log: Log
  readonly redactor: Redactor
}

/** Chooses every concrete part and puts them together. Only for the owner of the data directory. */
export async function compose(
  options: ServeOptions,
  config: LoadedConfig,
  { log, redactor }: ComposeDeps,
): Promise<Parts> {
  const { limits } = config
  const clock = systemClock
  const { env } = process
  installFailpoints(env)
  const file = parseDatabase(options.database, options)
  const mcp = createMcpPool({
    clock,
    digest: sha256,
    stateDir: bashStateDir(options.dataDir),
    allowHosts: config.webFetch.allowHosts,
    log: (entry) => writeEntry(log, entry),
  })
  const skillsFolder = join(options.dataDir, 'session-skills')
  const sessionTools = createSessionTools({
    pool: mcp,
    clock,
    digest: sha256,
    configured: config.mcpServers.map(({ name }) => name),
    tryConfigured() {
      for (const { tools } of agents.list()) void tools
      return mcp.settled()
    },
    directoryOf: async (sessionId) => {
      const [first] = await stores.events.readEvents(sessionId, 0, 1)
      return first?.event.type === 'session.created' ? first.event.directories?.[0] : undefined
    },
    learnSecret: (secret) => redactor.learn(secret),
    skillsFolder,
    skills: config.skills,
    log: (entry) => writeEntry(log, entry),
  })
  const editors = createOpenEditors()
  const chosen = await chooseModel(config, { clock, env, providers: config.providers })
  const agents = createAgentCatalog(config, {
    scripted: options.scripted === true,
    clock,
    env,
    dataDir: options.dataDir,
    databaseFile: file,
    ...(chosen && { defaultModel: chosen.name }),
    // Tools run after the stores are open.
    remember: (userId, memory) => stores.memories.addMemory(userId, memory),
    editorOf: editors.editorOf,
    schedule: createScheduleToolParts(() => ({ book: schedules.book, engine })),
    mcpTools: (names) =>
      holdTools(
        mcp,
        config.mcpServers.filter(({ name }) => names.includes(name)),
      ),
    log: (entry) => writeEntry(log, entry),
  })
  const models = createModelCatalog(agents, {
    clock,
    env,
    providers: config.providers,
    log: (entry) => writeEntry(log, entry),
  })
  const isNew = !existsSync(file)
  const secretBox = createSecretBox({
    keys: loadSecretKeys(join(options.dataDir, 'secret.key'), randomBytes),
    random: randomBytes,
  })
  const stores = await openStores(file)
  const swept = await sweepLeftovers(bashStateDir(options.dataDir))
  if (swept.calls > 0) log.warn({ ...swept }, 'ended what commands of a former server had left running')
  const turns = createRunningTurns({ readHead: (sessionId) => stores.events.readHead(sessionId) })
  const metrics = createServerMetrics({
    openStreams: () => streams.count,
    runningTurns: () => turns.count,
    databaseFile: file,
  })
  const refused = (limit: string): void => metrics.refusals.add({ limit })
  const streams = createOpenStreams({ perKey: limits.streamsPerKey, total: limits.streams, refused })
  const events = watchStore(stores.events, { metrics, turns, sessionTools, log })
  const rules = rememberRules(stores.rules)
  const ids = createIds(clock, randomBytes)
  const workspaces = createSessionWorkspaces({
    dataDir: options.dataDir,
    readable: [outputsDir(options.dataDir), skillsFolder],
    removed: sessionTools.forget,
    directoryOf: (agent) => config.agents.find(({ name }) => name === agent)?.workspace,
  })
  const prices = createPriceBook({ prices: config.prices, providers: config.providers, env })
  const budgets = createBudgetBook(config)
  for (const unlimited of findUnlimited(agents.list(), { budgets, prices })) {
    log.warn(unlimited, 'a budget of money does not hold this agent: its model has no price')
  }
  const engine = createEngine({
    store: events,
    agents,
    models,
    sessionTools: sessionTools.toolsOf,
    resultTool: createResultTool,
    clock,
    ids,
    digest: sha256,
    secretBox: learnFromBox(secretBox, redactor),
    rules,
    memories: stores.memories,
    prices,
    budgets,
    usage: stores.usage,
    operator: toOperatorPolicy(config.permissions, config.webFetch.allowHosts),
    workspaces,
    owner: `${process.pid}-${Buffer.from(randomBytes(6)).toString('hex')}`,
    recovery: config.recovery,
    limits: { queuedInputs: limits.queuedInputs },
    log: (entry) => writeEntry(log, entry),
  })
  const keys = createKeyRing({
    store: stores.keys,
    clock,
    random: randomBytes,
    digest: sha256,
    extraKeys: options.keys ?? [],
  })
  const { engine: limited, onChange: onSessionChange } = watchSessionChanges(
    limitEngine(capPresets(engine, config.permissions.ceiling), { limits, turns, clock, refused }),
  )
  const schedules = createSchedules({
    store: stores.schedules,
    engine: limited,
    agents,
    keys,
    clock,
    random: randomBytes,
    ids,
    log: (entry) => writeEntry(log, entry),
  })
  return {
    engine: limited,
    agents,
    models,
    confinement: await findConfinement(config.bash),
    modelNote: chosen?.sentence ?? [...new Set(agents.list().map(({ modelName }) => modelName))].join(', '),
    events,
    keys,
    rules,
    memories: stores.memories,
    usage: stores.usage,
    metrics,
    streams,
    turns,
    workspaces,
    protectedPaths: [options.dataDir, ...protectedPathsOf(config, file)],
    onSessionChange,
    databaseFile: file,
    isNew,
    mcp,
    sessionTools,
    editors,
    schedules,
    async close() {
      metrics.close()
      await mcp.close()
      await stores.close()
    },
  }
}

/** Connects in the background, and not before somebody asks: most errands of the command line never do. */
function holdTools(pool: McpPool, servers: readonly McpServer[]): () => readonly Tool[] {
  let hold: ReturnType<McpPool['hold']> | undefined
  return () => {
    hold ??= pool.hold(servers)
    return hold.tools()
  }
}

/** Everything that the server knows about itself goes through its store. */
function watchStore(
  store: EventStore,
  deps: Pick<Parts, 'metrics' | 'turns' | 'sessionTools'> & { readonly log: Log },
): EventStore {
  const { metrics, turns, sessionTools, log } = deps
  const observers = [turns, createTurnObserver(metrics, log)]
  const faults = createFaultLog(log, systemClock)
  const wal = createWalWatch({ log, clock: systemClock, walBytes: () => metrics.walBytes() })
  return observeStore(store, {
    appended(request, seconds) {
      faults.worked()
      metrics.appends.observe(seconds)
      for (const observer of observers) observer.appended(request)
      sessionTools.appended(request)
    },
    deleted(sessionId) {
      for (const observer of observers) observer.deleted(sessionId)
    },
    committed(writes) {
      metrics.commitSize.observe(writes)
      wal.committed()
    },
    fault(fault) {
      metrics.storageFaults.add({ kind: fault.kind })
      faults.fault(fault)
    },
  })
}

/** Two data directories may name one database; then only one of them may use it at a time. */
async function openStores(file: string): Promise<SqliteStores> {
  const lock = tryLock(`${file}.lock`)
  if (lock === undefined) throw new ServeError(`${file} is in use by another process. Stop it first.`, EXIT_FAILURE)
  try {
    const stores = await openSqliteStores({ file, clock: systemClock })
    return { ...stores, close: () => stores.close().finally(() => lock.release()) }
  } catch (error) {
    lock.release()
    // The store says in one sentence why a file may not be used.
    throw error instanceof Error ? new ServeError(error.message, EXIT_FAILURE, { cause: error }) : error
  }
}

/** What the engine, its tools and its doors tell, as a line of the log. */
export function writeEntry(log: Log, { level, message, error, ...fields }: LogEntry): void {
  // What is wrong with the storage is told once, not with everything that it keeps from happening.
  if (error instanceof StorageFault) log[level]({ ...fields, fault: error.kind }, message)
  else log[level](error === undefined ? fields : { ...fields, err: error }, message)
}
