import type { ClusterParts, LiveBus, NodeFacts, SharedStorage } from '@polylogue/engine'
import { makeApiKey } from '../auth/api-key.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Log } from '../log/log.ts'
import { writeEntry } from '../log/write-entry.ts'
import { deriveBytes } from '../platform/derive-bytes.ts'
import { isDecodable } from '../platform/is-decodable.ts'
import type { SecretKeys } from '../platform/secret-key-file.ts'
import type { StorageClock } from '../platform/storage-clock.ts'
import { systemClock } from '../platform/system-clock.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'
import type { ServeOptions } from '../serve-options.ts'
import { findAgentDirectories } from '../workspaces/agent-directories.ts'
import { agreeOnSecretKey } from './agree-on-secret-key.ts'
import { agreeOnWorkspaces, type SharedDirectory } from './agree-on-workspaces.ts'
import { createFindMissing } from './find-missing-files.ts'
import { createNodeHealth, type Readiness } from './node-health.ts'

/** What a process has because other processes use the same storage. */
export interface OpenCluster {
  readonly parts: ClusterParts
  readonly sharedDirectory?: SharedDirectory
  /** The first key of the user `local`, the same on all nodes. */
  readonly localKey: string
  readiness(): Readiness
  /** The listener is called when this node has not reached the storage for so long that it has stopped its turns. */
  onCutOff(listener: () => void): void
  close(): Promise<void>
}

export interface OpenClusterDeps {
  readonly options: Pick<ServeOptions, 'workspaces' | 'redis'>
  readonly config: Pick<LoadedConfig, 'agents' | 'limits'>
  readonly self: NodeFacts
  readonly secretKeys: SecretKeys
  readonly clock: StorageClock
  readonly log: Log
}

/** Rejects with a `ServeError` when this process does not fit the other nodes. */
export async function openCluster(storage: SharedStorage, deps: OpenClusterDeps): Promise<OpenCluster> {
  const { options, config, self, clock, log } = deps
  await agreeOnSecretKey(storage, deps.secretKeys)
  const shared = await agreeOnWorkspaces(storage, { role: self.role, directory: options.workspaces })
  const bus = await openBus(storage, deps)
  const health = createNodeHealth(systemClock, bus)
  const cutOffListeners: (() => void)[] = []
  const agentDirectories = findAgentDirectories(config.agents)
  const parts = {
    self,
    nodes: storage.nodes,
    bus,
    dispatcher: storage.openDispatcher((problem) => writeEntry(log, { level: 'warn', ...problem })),
    slots: config.limits.turnsPerNode,
    findMissing: createFindMissing({ directoryOf: (agent) => agentDirectories.get(agent), shared }),
    onReplaced: storage.onReplaced,
    onBeat(storageNow: number, tookMs: number) {
      clock.learn(storageNow, tookMs)
      health.beat()
    },
    onCutOff: () => cutOffListeners.forEach((listener) => listener()),
  }
  return {
    parts,
    ...(shared && { sharedDirectory: shared }),
    localKey: makeApiKey(() => deriveBytes(deps.secretKeys[0], 'local key')),
    readiness: () => health.readiness(),
    onCutOff: (listener) => void cutOffListeners.push(listener),
    async close() {
      await parts.dispatcher.close()
      await bus.close()
    },
  }
}

async function openBus(storage: SharedStorage, { options, self, clock, log }: OpenClusterDeps): Promise<LiveBus> {
  if (options.redis === undefined) return storage.openBus(self.nodeId)
  const url = checkRedisUrl(options.redis)
  const report = (problem?: string): void =>
    problem === undefined
      ? log.info({}, 'Redis answers again')
      : log.warn({ reason: problem }, 'Redis does not answer: until then, nodes ask the database for news')
  return (await import('./redis-bus.ts')).createRedisBus({ url, nodeId: self.nodeId, clock, report })
}

/** The client would take anything for a host or a file. */
function checkRedisUrl(url: string): string {
  if (/^rediss?:\/\/./.test(url) && isDecodable(url)) return url
  throw new ServeError('--redis must be redis://HOST or rediss://HOST. In a password, write % as %25.', EXIT_CONFIG)
}
