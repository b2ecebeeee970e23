import type { SpentBudget } from '../events/spent-budget.ts'
import { NANO } from './price.ts'
import { NOTHING_SPENT } from './spending.ts'
import type { Spending } from '../ports/usage-store.ts'

/** Limits on spending before the user is asked. Absent limits do not apply. */
export interface Budget {
  /** Input and output together. */
  readonly tokens?: number
  /** In units of the common budget currency. Calls with an unknown price do not count. */
  readonly money?: number
  /** Model calls. */
  readonly steps?: number
  /** `stop`: the turn ends without asking. */
  readonly whenSpent?: 'ask' | 'stop'
}

export interface Budgets {
  /** For one turn, including its sub-agents. */
  readonly turn?: Budget & {
    /** Working time. Time spent waiting for a human does not count. */
    readonly wallTimeMs?: number
  }
  readonly session?: Budget
  /** For one API key, per day or month in UTC. */
  readonly key?: Budget & { readonly per: 'day' | 'month' }
}

export interface BudgetBook {
  readonly currency: string
  /** The budgets for a turn of this agent that was requested with this key. Contract: cheap. */
  budgetsOf(agent: string, keyId: string | undefined): Budgets
}

/** The budget state of a turn. */
export interface TurnBudget {
  readonly spent: Spending
  readonly workedMs: number
  /** Absent while the turn waits. */
  readonly workingSince?: number
  /** Raised limits that a user allowed for this turn, by budget. */
  readonly raised: RaisedLimits
  /** The user was asked whether the turn may continue. */
  readonly asked?: SpentBudget & { readonly toolCallId: string }
  /** The turn must stop; the sentence says why. */
  readonly stopped?: string
}

export interface RaisedLimits {
  readonly [budget: string]: number
}

export const startTurnBudget = (at: number): TurnBudget => ({
  spent: NOTHING_SPENT,
  workedMs: 0,
  workingSince: at,
  raised: {},
})

export interface BudgetFacts {
  readonly now: number
  readonly budgets: Budgets
  readonly currency: string
  readonly turn: TurnBudget
  /** The usage of the whole session. */
  readonly session: { readonly spent: Spending; readonly raised: RaisedLimits }
  /** The usage of the key in its day or month. Required if keys have budgets. */
  readonly key?: Spending
}

/** The first budget that is used up. */
export function findSpentBudget(facts: BudgetFacts): SpentBudget | undefined {
  const { budgets, turn, session, key, now } = facts
  const workedMs = turn.workedMs + (turn.workingSince === undefined ? 0 : Math.max(0, now - turn.workingSince))
  return (
    spentOf('turn', { budget: budgets.turn, spent: turn.spent }, facts) ??
    over({ scope: 'turn', measure: 'wallTimeMs', used: workedMs }, budgets.turn?.wallTimeMs, turn.raised) ??
    spentOf('session', { budget: budgets.session, spent: session.spent }, facts) ??
    (key && spentOf('key', { budget: budgets.key, spent: key }, facts))
  )
}

function spentOf(
  scope: SpentBudget['scope'],
  { budget, spent }: { readonly budget: Budget | undefined; readonly spent: Spending },
  { currency, turn, session, budgets }: BudgetFacts,
): SpentBudget | undefined {
  if (budget === undefined) return undefined
  const raised = scope === 'session' ? session.raised : turn.raised
  const place = { scope, ...(scope === 'key' && budgets.key && { per: budgets.key.per }) }
  const money = budget.money === undefined ? undefined : Math.round(budget.money * NANO)
  return (
    over({ ...place, measure: 'money', used: spent.nano[currency] ?? 0, currency }, money, raised) ??
    over({ ...place, measure: 'tokens', used: spent.tokens }, budget.tokens, raised) ??
    over({ ...place, measure: 'steps', used: spent.calls }, budget.steps, raised)
  )
}

function over(
  spent: Omit<SpentBudget, 'limit'>,
  given: number | undefined,
  raised: RaisedLimits,
): SpentBudget | undefined {
  if (given === undefined) return undefined
  const limit = Math.max(given, raised[nameOf(spent)] ?? 0)
  // Uses the original limit, not the raised one, so that each approval adds the same amount.
  return spent.used < limit ? undefined : { ...spent, limit: given }
}

export const nameOf = ({ scope, measure }: Pick<SpentBudget, 'scope' | 'measure'>): string => `${scope}.${measure}`

/** Adds the original amount to the current usage. */
export const raise = (raised: RaisedLimits, spent: SpentBudget): RaisedLimits => ({
  ...raised,
  [nameOf(spent)]: spent.used + spent.limit,
})
