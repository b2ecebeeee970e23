import type { BudgetBook } from './cost/budget.ts'
import type { PriceBook } from './cost/price.ts'
import type { AgentCatalog } from './ports/agent.ts'
import type { Clock } from './ports/clock.ts'
import type { EventStore } from './ports/event-store.ts'
import type { Digest, Ids } from './ports/ids.ts'
import type { ModelCatalog } from './ports/model-catalog.ts'
import type { Tool } from './ports/tool.ts'
import type { JsonObject } from './json.ts'
import type { SessionId } from './ids.ts'
import type { SecretBox } from './ports/secret-box.ts'
import type { MemoryStore } from './ports/memory-store.ts'
import type { RuleStore } from './ports/rule-store.ts'
import type { UsageStore } from './ports/usage-store.ts'
import type { Surroundings } from './ports/surroundings.ts'
import type { WorkspaceOwner, Workspaces } from './ports/workspaces.ts'
import type { Dispatcher } from './ports/dispatcher.ts'
import type { LiveBus } from './ports/live-bus.ts'
import type { NodeFacts, Nodes } from './ports/nodes.ts'
import type { OperatorPolicy } from './permission/policy-of.ts'

/** The dependencies of the engine. Every effect goes through one of them. */
export interface EngineParts {
  readonly store: EventStore
  /** Other processes use the same store. Absent: this process is its only user. */
  readonly isShared?: boolean
  /** How the processes that use the same store know each other. Requires `isShared`. */
  readonly cluster?: ClusterParts
  readonly agents: AgentCatalog
  /** The models that sessions can choose. Absent: sessions use only their agent's model. */
  readonly models?: Pick<ModelCatalog, 'find'>
  /**
   * The tools of one session whose agent has `own`. May add, replace and remove tools. Contract: cheap, and returns the
   * same list as long as nothing has changed.
   */
  readonly sessionTools?: (sessionId: SessionId, own: readonly Tool[]) => readonly Tool[]
  /** For turns with an `outputSchema`. Absent: such turns are refused. */
  readonly outputs?: Outputs
  readonly clock: Clock
  /**
   * Resolves after pending input and output have had their turn. Absent: a turn does not wait for the client that asked
   * for it.
   */
  readonly giveWay?: () => Promise<void>
  readonly ids: Ids
  readonly digest: Digest
  readonly secretBox: SecretBox
  readonly rules: Pick<RuleStore, 'listRules' | 'addRule' | 'bindRule'>
  readonly workspaces: Workspaces
  readonly operator: OperatorPolicy
  /** Describes the place where a session works. Absent: no agent is told about it. */
  readonly surroundings?: Surroundings
  /** The users' memories. Absent: nothing is recalled. */
  readonly memories?: Pick<MemoryStore, 'recall'>
  /** The prices of models. Absent: only tokens are counted. */
  readonly prices?: PriceBook
  /** The limits on spending. Absent: there are none. */
  readonly budgets?: BudgetBook
  /** The usage of keys. Required if keys have budgets. */
  readonly usage?: Pick<UsageStore, 'spentWithKey'>
  readonly recovery: 'continue' | 'interrupt'
  readonly limits?: EngineLimits
  log(entry: LogEntry): void
}

export interface ClusterParts {
  /** This process. Its id is the owner of all leases here. */
  readonly self: NodeFacts
  readonly nodes: Nodes
  readonly bus: LiveBus
  readonly dispatcher: Dispatcher
  /** How many sessions run here at the same time. */
  readonly slots: number
  /**
   * What the session needs of the file system and this process does not have, such as `the directory /srv/a`. Absent: all
   * processes have the same files.
   */
  readonly findMissing?: (session: WorkspaceOwner) => Promise<string | undefined>
  /** Called with the time of the storage, and how long that answer took, each time the lease of this process was extended. */
  readonly onBeat?: (storageNow: number, tookMs: number) => void
  /** The listener is called when the storage may have lost its newest commits, as after a failover. */
  readonly onReplaced?: (listener: () => void) => void
  /** Called when this process has not reached the storage for so long that it has stopped its turns. */
  readonly onCutOff?: () => void
}

/** Lets a turn return a value of the shape that its client requested. */
export interface Outputs {
  /** The tool of kind `result`. Its input is the value. */
  toolFor(schema: JsonObject): Tool
  /** The problem with a schema. Contract: bounded in time, never rejects. */
  problemOf(schema: JsonObject): Promise<string | undefined>
}

export interface EngineLimits {
  /** The maximum number of queued inputs in one session. Default: 8. */
  readonly queuedInputs: number
}

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly [key: string]: unknown
}
