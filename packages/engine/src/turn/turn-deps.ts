import type { BudgetBook } from '../cost/budget.ts'
import type { PriceBook } from '../cost/price.ts'
import type { AgentCatalog } from '../ports/agent.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore, Fence } from '../ports/event-store.ts'
import type { Digest, Ids } from '../ports/ids.ts'
import type { ModelCatalog } from '../ports/model-catalog.ts'
import type { Tool } from '../ports/tool.ts'
import type { JsonObject } from '../json.ts'
import type { SessionId } from '../ids.ts'
import type { SecretBox } from '../ports/secret-box.ts'
import type { MemoryStore } from '../ports/memory-store.ts'
import type { RuleStore } from '../ports/rule-store.ts'
import type { UsageStore } from '../ports/usage-store.ts'
import type { Workspaces } from '../ports/workspaces.ts'
import type { OperatorPolicy } from '../permission/policy-of.ts'
import type { OpenSession } from '../session/open-session.ts'

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
  /**
   * Makes the tool of kind `result` through which a turn with an `outputSchema` gives its answer; without it such turns
   * are refused. Throws when the schema is invalid; the message says why.
   */
  readonly resultTool?: (schema: JsonObject) => Tool
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

export interface EngineLimits {
  /** Inputs that wait in one session while a turn runs; 8 unless said otherwise. */
  readonly queuedInputs: number
}

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly [key: string]: unknown
}

/** One runner at work on one session. */
export interface RunDeps extends EngineParts {
  readonly session: OpenSession
  readonly fence: Fence
  /** Aborts with a `StopReason`. */
  readonly signal: AbortSignal
  /** Resolves when something was recorded that the runner did not record itself. */
  nudged(): Promise<void>
}

/**
 * Why a runner is told to stop. `cancel` ends the turn; `deadline` and `cancel-call` end one call or sub-agent; the
 * others leave the turn for the next owner.
 */
export type StopReason = 'cancel' | 'deadline' | 'cancel-call' | 'stopping' | 'fenced' | 'deleted'

/** The one call or sub-agent that was told to stop records its own end. */
export const isOwnEnd = (reason: StopReason | undefined): reason is 'deadline' | 'cancel-call' =>
  reason === 'deadline' || reason === 'cancel-call'

export function stopReasonOf(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined
}

/** Thrown through a runner that must leave its turn as it is. */
export class RunnerStopped extends Error {}
