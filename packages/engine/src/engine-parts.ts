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
import type { Workspaces } from './ports/workspaces.ts'
import type { OperatorPolicy } from './permission/policy-of.ts'

/** What the engine is made of; every effect goes through one of these. */
export interface EngineParts {
  readonly store: EventStore
  readonly agents: AgentCatalog
  /** What sessions may have instead of their agent's model; without it, that is all they have. */
  readonly models?: Pick<ModelCatalog, 'find'>
  /**
   * The tools of one session whose agent has `own`: it may add to them, replace some and leave some out. Contract: cheap,
   * and the same list as long as nothing has changed.
   */
  readonly sessionTools?: (sessionId: SessionId, own: readonly Tool[]) => readonly Tool[]
  /** Turns with an `outputSchema`; without it they are refused. */
  readonly outputs?: Outputs
  readonly clock: Clock
  readonly ids: Ids
  readonly digest: Digest
  readonly secretBox: SecretBox
  readonly rules: Pick<RuleStore, 'listRules'>
  readonly workspaces: Workspaces
  readonly operator: OperatorPolicy
  /** What users have had remembered; without it nothing is recalled. */
  readonly memories?: Pick<MemoryStore, 'recall'>
  /** What models cost; without it, only tokens are counted. */
  readonly prices?: PriceBook
  /** What may be spent before somebody is asked; without it, all may. */
  readonly budgets?: BudgetBook
  /** What was spent with a key; needed where keys have budgets. */
  readonly usage?: Pick<UsageStore, 'spentWithKey'>
  readonly recovery: 'continue' | 'interrupt'
  readonly limits?: EngineLimits
  log(entry: LogEntry): void
}

/** How a turn gives an answer of a shape that its client asked for. */
export interface Outputs {
  /** The tool of kind `result` whose input is the answer. */
  toolFor(schema: JsonObject): Tool
  /** Why the schema cannot be used. Contract: bounded in time, never rejects. */
  problemOf(schema: JsonObject): Promise<string | undefined>
}

export interface EngineLimits {
  /** Inputs that wait in one session while a turn runs; 8 unless said otherwise. */
  readonly queuedInputs: number
}

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly [key: string]: unknown
}
