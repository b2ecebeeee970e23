import {
  createEngine,
  createIds,
  type Clock,
  type ClusterParts,
  type Engine,
  type EventStore,
  type LogEntry,
  type NodeFacts,
  type RuleStore,
  type Stores,
  type UserId,
} from '@polylogue/engine'
import { findShell, outputTools, removeToolCaches, type ProtectedSet } from '@polylogue/tools'
import type { AgentParts } from './agents/compose-agents.ts'
import { bashStateDir, cachesDir, outputsDir } from './agents/built-in-tools.ts'
import { createKeyRing, type KeyRing } from './auth/key-ring.ts'
import { watchRevocations } from './auth/watch-revocations.ts'
import type { LoadedConfig } from './config/load-config.ts'
import { limitEngine } from './limits/limit-engine.ts'
import type { SharedCounts } from './limits/shared-counts.ts'
import { learnFromBox } from './log/known-secrets.ts'
import type { Log } from './log/log.ts'
import type { Redactor } from './log/redactor.ts'
import { writeEntry } from './log/write-entry.ts'
import type { RunningTurns } from './observe/running-turns.ts'
import { afterServers } from './agents/after-servers.ts'
import { capPresets } from './permissions/cap-presets.ts'
import { toOperatorPolicy } from './permissions/permissions-schema.ts'
import { rememberRules } from './permissions/remembered-rules.ts'
import type { Confinement } from './platform/confinement.ts'
import type { SharedDirectory } from './nodes/agree-on-workspaces.ts'
import { randomBytes } from './platform/random-bytes.ts'
import type { createSecretBox } from './platform/secret-box.ts'
import { sha256 } from './platform/sha256.ts'
import { createSchedules, type Schedules } from './schedules/create-schedules.ts'
import type { ServeOptions } from './serve-options.ts'
import { createSurroundings } from './surroundings/create-surroundings.ts'
import { createInstructionTrust } from './trust/instruction-files.ts'
import { createBudgetBook } from './usage/budget-book.ts'
import { findUnlimited } from './usage/find-unlimited.ts'
import { createPriceBook } from './usage/price-book.ts'
import { findAgentDirectories } from './workspaces/agent-directories.ts'
import { refuseProtectedRoots } from './workspaces/refuse-protected-roots.ts'
import { sessionFilesDir } from './workspaces/session-files.ts'
import { createSessionWorkspaces, type SessionWorkspaces } from './workspaces/session-workspaces.ts'

/** The engine with its limits, and what works on top of it. */
export interface EngineParts {
  /** Refuses what exceeds the limits and the ceiling of the configuration. */
  readonly engine: Engine
  readonly keys: KeyRing
  readonly rules: RuleStore
  readonly schedules: Schedules
  readonly workspaces: SessionWorkspaces
  /** Ends what looks at the storage at intervals. */
  stopWatching(): void
}

export interface EnginePartsDeps {
  readonly options: ServeOptions
  /** This process. */
  readonly self: NodeFacts
  /** Present if the storage is shared. */
  readonly cluster?: ClusterParts
  /** The directory of `--workspaces`, if the storage is shared. */
  readonly sharedDirectory?: SharedDirectory
  readonly config: LoadedConfig
  readonly clock: Clock
  readonly log: Log
  readonly redactor: Redactor
  readonly stores: Stores
  /** `stores.events`, observed. */
  readonly events: EventStore
  readonly secretBox: ReturnType<typeof createSecretBox>
  readonly agentParts: AgentParts
  readonly protectedSet: ProtectedSet
  readonly confinement: Confinement
  readonly skillsFolder: string
  readonly turns: RunningTurns
  /** What other nodes count. Absent: there is only this one. */
  readonly shared?: SharedCounts
  refused(limit: string): void
}

/** Another node may revoke a key: here it opens nothing after this time. */
const SHARED_TRUST_MS = 1_000
/** While the database is away, its users can still cancel what they started. */
const OUTAGE_TRUST_MS = 5 * 60_000

export function composeEngine(deps: EnginePartsDeps): EngineParts {
  const { options, config, clock, log, stores, turns, refused, cluster } = deps
  const { agents, sessionTools, processes } = deps.agentParts
  const write = (entry: LogEntry): void => writeEntry(log, entry)
  const ids = createIds(clock, randomBytes, sha256)
  // Another node may change them.
  const rules = stores.mode === 'shared' ? stores.rules : rememberRules(stores.rules)
  const agentDirectories = findAgentDirectories(config.agents)
  const filesDir = sessionFilesDir(options)
  const workspaces = createSessionWorkspaces({
    filesDir,
    readable: [outputsDir(filesDir), deps.skillsFolder],
    async removed(sessionId) {
      await Promise.all([sessionTools.forget(sessionId), processes.end(sessionId)])
    },
    removedDirectory: (path) => removeToolCaches(cachesDir(options.dataDir), path),
    directoryOf: (agent) => agentDirectories.get(agent),
    refuse: refuseProtectedRoots(deps.protectedSet),
    ...(deps.sharedDirectory && { shared: deps.sharedDirectory }),
  })
  const bare = createBareEngine(deps, { ids, rules, workspaces, log: write })
  const capped = capPresets(bare, config.permissions.ceiling)
  const limited = limitEngine(capped, {
    limits: config.limits,
    turns,
    clock,
    refused,
    ...(deps.shared && { shared: deps.shared }),
    // If the storage fails here, it refuses the command itself.
    ...(cluster && { countEverywhere: (userId: UserId) => cluster.nodes.countTurns(userId).catch(() => 0) }),
  })
  const isErrand = options.listen === undefined && config.mcpServers.length > 0
  const engine = isErrand ? afterServers(limited, { ...deps.agentParts, clock }) : limited
  const keys = createKeyRing({
    store: stores.keys,
    clock,
    random: randomBytes,
    digest: sha256,
    extraKeys: options.keys ?? [],
    ...(stores.mode === 'shared' && { trustedMs: SHARED_TRUST_MS, outageMs: OUTAGE_TRUST_MS }),
  })
  const revocations = stores.mode === 'shared' ? watchRevocations(keys, clock) : undefined
  const schedules = createSchedules({
    store: stores.schedules,
    users: stores.users,
    engine,
    agents,
    keys,
    clock,
    random: randomBytes,
    isShared: stores.mode === 'shared',
    ids,
    log: write,
  })
  return { engine, keys, rules, schedules, workspaces, stopWatching: () => revocations?.stop() }
}

type EngineDeps = Parameters<typeof createEngine>[0]

function createBareEngine(
  { options, config, clock, log, redactor, stores, events, secretBox, agentParts, ...deps }: EnginePartsDeps,
  own: Pick<EngineDeps, 'ids' | 'rules' | 'workspaces' | 'log'>,
): Engine {
  const { agents, models, sessionTools } = agentParts
  const prices = createPriceBook({ prices: config.prices, providers: config.providers, env: process.env })
  const budgets = createBudgetBook(config)
  for (const unlimited of findUnlimited(agents.list(), { budgets, prices })) {
    log.warn(unlimited, 'a budget of money does not hold this agent: its model has no price')
  }
  return createEngine({
    ...own,
    store: events,
    isShared: stores.mode === 'shared',
    ...(deps.cluster && { cluster: deps.cluster }),
    agents,
    models,
    sessionTools: sessionTools.toolsOf,
    outputs: outputTools,
    clock,
    giveWay: () => new Promise((resolve) => setImmediate(resolve)),
    digest: sha256,
    secretBox: learnFromBox(secretBox, redactor),
    memories: stores.memories,
    surroundings: createSurroundings({
      clock,
      stateDir: bashStateDir(options.dataDir),
      shell: findShell(),
      instructions: createInstructionTrust({ protectedSet: deps.protectedSet, env: process.env }),
      env: process.env,
      sandbox: deps.confinement.sandbox,
      network: config.bash.network,
    }),
    prices,
    budgets,
    usage: stores.usage,
    operator: toOperatorPolicy(config.permissions, config.webFetch.allowHosts, config.bash),
    owner: deps.self.nodeId,
    recovery: config.recovery,
    limits: { queuedInputs: config.limits.queuedInputs },
  })
}
