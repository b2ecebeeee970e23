import type {
  Clock,
  EventStore,
  KeptStore,
  MarkStore,
  LogEntry,
  MemoryStore,
  NodeFacts,
  NodeRole,
  Nodes,
  SecretBox,
  SessionId,
  SignInStore,
  Storage,
  Stores,
  UsageStore,
} from '@polylogue/engine'
import type { LargeBodies, OpenReads, SessionCommands } from '@polylogue/kit'
import { createConfinedFiles, sweepLeftovers, type ProtectedSet } from '@polylogue/tools'
import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { bashStateDir } from './agents/built-in-tools.ts'
import { composeAgents, type AgentParts } from './agents/compose-agents.ts'
import { createSessionCommands } from './commands/session-commands.ts'
import { composeEngine, type EngineParts } from './compose-engine.ts'
import type { LoadedConfig } from './config/load-config.ts'
import { refuseNodesDir } from './data-dir.ts'
import { GIVE_UP_MS } from './drain.ts'
import { limitStorage } from './limits/limit-storage.ts'
import { trailOf } from './http/request-trail.ts'
import { createFramePace, type FramePace } from './limits/frame-pace.ts'
import { createLargeBodies } from './limits/large-bodies.ts'
import { createOpenReads } from './limits/open-reads.ts'
import { createOpenStreams, type OpenStreams } from './limits/open-streams.ts'
import { SharedCounts } from './limits/shared-counts.ts'
import type { Log } from './log/log.ts'
import type { Redactor } from './log/redactor.ts'
import { writeEntry } from './log/write-entry.ts'
import { ClientsElsewhere } from './nodes/clients-elsewhere.ts'
import { describeSelf } from './nodes/describe-self.ts'
import type { Readiness } from './nodes/node-health.ts'
import type { OpenCluster } from './nodes/open-cluster.ts'
import { createServerMetrics, type ServerMetrics } from './metrics/server-metrics.ts'
import { createRunningTurns, type RunningTurns } from './observe/running-turns.ts'
import { watchSessionChanges, type SessionChangesHub } from './observe/session-changes.ts'
import { findTracing, type Tracing } from './observe/tracing.ts'
import { watchStore } from './observe/watch-store.ts'
import { findConfinement, type Confinement } from './platform/confinement.ts'
import { installFailpoints } from './platform/failpoints.ts'
import { randomBytes } from './platform/random-bytes.ts'
import { createSecretBox } from './platform/secret-box.ts'
import { loadSecretKeys, secretKeyFile } from './platform/secret-key-file.ts'
import { createServerProtectedSet } from './platform/server-protected-set.ts'
import { createStorageClock } from './platform/storage-clock.ts'
import { systemClock } from './platform/system-clock.ts'
import { EXIT_CONFIG, ServeError } from './serve-error.ts'
import type { ServeOptions } from './serve-options.ts'
import { findStorage, openStores, parseDatabase, parseDirectDatabase } from './stores.ts'
import { createUsers, type Users } from './users/users.ts'
import { prepareSessionFiles, sessionFilesDir, sessionSkillsDir } from './workspaces/session-files.ts'
import { within } from './within.ts'

/** The server without its listeners. */
export interface Parts extends AgentParts, EngineParts {
  readonly confinement: Confinement
  readonly storage: Storage
  readonly mode: Stores['mode']
  /** This process. */
  readonly self: NodeFacts
  readonly nodes?: Nodes
  /** The first key of the user `local`, if several nodes share it. */
  readonly sharedLocalKey?: string
  /** Agrees with the clock of a shared storage. */
  readonly clock: Clock
  readiness(): Readiness
  /** The listener is called when this node has not reached a shared storage for so long that it has stopped its turns. */
  onCutOff(listener: () => void): void
  /** Opening the storage created it. */
  readonly isNew: boolean
  readonly events: EventStore
  readonly memories: MemoryStore
  readonly usage: UsageStore
  readonly signIns: SignInStore
  readonly users: Users
  /** Seals what a browser keeps for us. */
  readonly secretBox: SecretBox
  /** Subscriptions of connections, for clients that reconnect. */
  readonly kept: KeptStore
  /** Where doors may begin to read a long log. */
  readonly marks: MarkStore
  /** The listener is called when a shared storage may have lost its newest events. */
  onStorageReplaced(listener: () => void): void
  readonly onSessionChange: SessionChangesHub['onChange']
  readonly metrics: ServerMetrics
  /** Present if other nodes share the storage. */
  readonly sharedCounts?: SharedCounts
  readonly clientsElsewhere?: ClientsElsewhere
  readonly streams: OpenStreams
  readonly reads: OpenReads
  readonly largeBodies: LargeBodies
  readonly framePace: FramePace
  /** Ends the commands of a session that run in the background. */
  endBackground(sessionId: SessionId): Promise<void>
  readonly turns: RunningTurns
  readonly tracing?: Tracing
  /** What users type after a slash. */
  readonly commands: SessionCommands
  /** Paths that clients and models must not touch. */
  readonly protectedSet: ProtectedSet
  close(): Promise<void>
}

export interface ComposeDeps {
  readonly log: Log
  readonly redactor: Redactor
}

/** Chooses every concrete part and connects them. Only for the owner of the data directory. */
export async function compose(
  options: ServeOptions,
  config: LoadedConfig,
  { log, redactor }: ComposeDeps,
): Promise<Parts> {
  const { limits } = config
  const clock = createStorageClock(systemClock)
  installFailpoints(process.env)
  const self = describeSelf(roleOf(options), checkNodeUrl(options.nodeUrl))
  const database = parseDatabase(options.database, options)
  const { databaseDirect } = options
  const opening = { clock, ...(databaseDirect !== undefined && { directUrl: parseDirectDatabase(databaseDirect) }) }
  const { files: databaseFiles } = await (await findStorage(database, opening)).describe()
  if (options.database === undefined && !databaseFiles.some((file) => existsSync(file))) refuseNodesDir(options.dataDir)
  const confinement = await findConfinement(config.bash)
  const protectedSet = createServerProtectedSet({
    dataDir: options.dataDir,
    workspaces: options.workspaces,
    databaseFiles,
    secretKeyFile: secretKeyFile(options.dataDir, process.env),
    config,
  })
  const skillsFolder = sessionSkillsDir(sessionFilesDir(options))
  const agentParts = await composeAgents({
    options,
    config,
    clock,
    redactor,
    protectedSet,
    confinement,
    skillsFolder,
    late: {
      events: () => stores.events,
      memories: () => stores.memories,
      engine: () => engineParts.engine,
      schedules: () => engineParts.schedules,
    },
    log: (entry: LogEntry) => writeEntry(log, entry),
  })
  const secretKeys = loadSecretKeys(secretKeyFile(options.dataDir, process.env), randomBytes)
  const secretBox = createSecretBox({ keys: secretKeys, random: randomBytes })
  if (options.workspaces !== undefined) prepareSessionFiles(options.workspaces)
  const stores = await openStores(database, opening)
  const flag = sharingFlagOf(options)
  if (stores.cluster === undefined && flag !== undefined) {
    throw new ServeError(`${flag} needs a database that several nodes can share; see --database.`, EXIT_CONFIG)
  }
  let cluster: OpenCluster | undefined
  try {
    const joining = { options, config, self, secretKeys, clock, log }
    const { cluster: shared } = stores
    cluster = shared && (await (await import('./nodes/open-cluster.ts')).openCluster(shared, joining))
  } catch (error) {
    await stores.close()
    throw error
  }
  const bus = cluster?.parts.bus
  await endLeftovers(options.dataDir, log)

  const turns = createRunningTurns({
    isShared: cluster !== undefined,
    readHead: (sessionId) => stores.events.readHead(sessionId),
  })
  const metrics = createServerMetrics({
    openStreams: () => streams.count,
    runningTurns: () => turns.count,
    ...(cluster === undefined
      ? { walBytes: async () => (await stores.describe()).logBytes }
      : { readiness: () => cluster?.readiness() ?? { degraded: [] } }),
  })
  const refused = (limit: string): void => metrics.refusals.add({ limit })
  const sharedCounts = bus && new SharedCounts(bus, clock)
  const everywhere = { refused, ...(sharedCounts && { shared: sharedCounts }) }
  const streams = createOpenStreams({ perKey: limits.streamsPerKey, total: limits.streams, ...everywhere })
  const reads = createOpenReads({ perUser: limits.readsPerUser, clock, ...everywhere })
  const { sessionTools, mcp } = agentParts
  const limited = limitStorage(stores.events, { limits, refused })
  const tracing = await findTracing()
  const watching = { metrics, turns, sessionTools, storage: stores, clock, log, ...(tracing && { tracing }) }
  const watched = watchStore(limited, watching)
  const { store: events, onChange: onSessionChange } = watchSessionChanges(watched, bus)
  const engineParts = composeEngine({
    options,
    self,
    ...(cluster && { cluster: cluster.parts }),
    ...(cluster?.sharedDirectory && { sharedDirectory: cluster.sharedDirectory }),
    config,
    clock,
    log,
    redactor,
    stores,
    events,
    secretBox,
    agentParts,
    protectedSet,
    confinement,
    skillsFolder,
    turns,
    ...everywhere,
  })
  const undoing = {
    ...engineParts,
    events,
    files: createConfinedFiles({ protectedSet, editorOf: agentParts.editors.editorOf }),
  }
  return {
    ...agentParts,
    ...engineParts,
    commands: createSessionCommands({
      agents: agentParts.agents,
      skillsOf: (sessionId) => sessionTools.skills.all(sessionId),
      promptsOf: agentParts.promptsOf,
      undo: async (userId, sessionId) => (await import('./undo/undo-turn.ts')).undoTurn(userId, sessionId, undoing),
    }),
    confinement,
    storage: stores,
    mode: stores.mode,
    self,
    clock,
    ...(cluster && { nodes: cluster.parts.nodes, sharedLocalKey: cluster.localKey }),
    readiness: () => cluster?.readiness() ?? { degraded: [] },
    onCutOff: (listener) => cluster?.onCutOff(listener),
    isNew: stores.isNew,
    events,
    onSessionChange,
    memories: stores.memories,
    usage: stores.usage,
    signIns: stores.signIns,
    users: createUsers({ ...stores, ...engineParts, store: stores.users, events, schedules: stores.schedules, clock }),
    secretBox,
    kept: stores.kept,
    marks: stores.marks,
    onStorageReplaced: (listener) => stores.cluster?.onReplaced(listener),
    metrics,
    ...(sharedCounts && { sharedCounts }),
    ...(cluster && { clientsElsewhere: new ClientsElsewhere({ ...cluster.parts, clock }) }),
    streams,
    reads,
    largeBodies: createLargeBodies({ clock, userOf }),
    framePace: createFramePace({ clock }),
    endBackground: (sessionId) => agentParts.processes.end(sessionId),
    turns,
    ...(tracing && { tracing }),
    protectedSet,
    async close() {
      metrics.close()
      sharedCounts?.close()
      engineParts.stopWatching()
      await agentParts.processes.close()
      await mcp.close()
      await engineParts.workspaces.close()
      // A database that stands still never takes leave.
      await within(GIVE_UP_MS, cluster?.close() ?? Promise.resolve())
      await within(GIVE_UP_MS, stores.close())
    },
  }
}

/** A process without a listener serves an editor, or came for one errand. */
function roleOf({ listen, role = 'all' }: ServeOptions): NodeRole {
  return listen === undefined && role !== 'editor' ? 'errand' : role
}

/** A flag that means something only to several nodes. */
function sharingFlagOf({ role, redis, nodeUrl, databaseDirect }: ServeOptions): string | undefined {
  if (databaseDirect !== undefined) return '--database-direct'
  if (role !== undefined && role !== 'editor') return '--role'
  if (redis !== undefined) return '--redis'
  return nodeUrl === undefined ? undefined : '--node-url'
}

/** Other nodes append the path of a request to it, and the operator sees it in the list of nodes. */
function checkNodeUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new ServeError('--node-url must be an address such as http://10.0.0.1:8020.', EXIT_CONFIG)
}

/** Ends commands that a former server left running. */
async function endLeftovers(dataDir: string, log: Log): Promise<void> {
  const swept = await sweepLeftovers(bashStateDir(dataDir))
  if (swept.calls > 0) log.warn({ ...swept }, 'ended what commands of a former server had left running')
}

/** Whose request it is. Without a key nothing of a body is read. */
const userOf = (incoming: IncomingMessage): string => trailOf(incoming).caller?.userId ?? ''
