import type { SpentBudget } from '../events/spent-budget.ts'
import { NANO } from './price.ts'
import { NOTHING_SPENT } from './spending.ts'
import type { Spending } from '../ports/usage-store.ts'

/** What may be spent before somebody is asked. What is absent is not limited. */
export interface Budget {
  /** In and out together. */
  readonly tokens?: number
  /** In units of the currency of all budgets. Calls of unknown price do not count. */
  readonly money?: number
  /** Model calls. */
  readonly steps?: number
  /** `stop`: nobody is asked, the turn ends. */
  readonly whenSpent?: 'ask' | 'stop'
}

export interface Budgets {
  /** Of one turn, its sub-agents included. */
  readonly turn?: Budget & {
    /** The time that it works, not the time that it waits for somebody. */
    readonly wallTimeMs?: number
  }
  readonly session?: Budget
  /** Of one API key in a day or a month of UTC. */
  readonly key?: Budget & { readonly per: 'day' | 'month' }
}

export interface BudgetBook {
  readonly currency: string
  /** For a turn of this agent that was asked for with this key. Contract: cheap. */
  budgetsOf(agent: string, keyId: string | undefined): Budgets
}

/** What a turn knows of its budgets. */
export interface TurnBudget {
  readonly spent: Spending
  readonly workedMs: number
  /** Absent while it waits. */
  readonly workingSince?: number
  /** New limits that somebody allowed for this turn, by budget. */
  readonly raised: RaisedLimits
  /** Somebody is asked whether it may go on. */
  readonly asked?: SpentBudget & { readonly toolCallId: string }
  /** It may not; the sentence says why. */
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
  /** Of the whole session. */
  readonly session: { readonly spent: Spending; readonly raised: RaisedLimits }
  /** Of the key, in its day or month; needed where a key has a budget. */
  readonly key?: Spending
}

/** The first budget that is used up. */
export function findSpentBudget(facts: BudgetFacts): SpentBudget | undefined {
  const { budgets, turn, session, key, now } = facts
  const workedMs = turn.workedMs + (turn.workingSince === undefined ? 0 : Math.max(0, now - turn.workingSince))
  return (
    spentOf('turn', budgets.turn, turn.spent, facts) ??
    over({ scope: 'turn', measure: 'wallTimeMs', used: workedMs }, budgets.turn?.wallTimeMs, turn.raised) ??
    spentOf('session', budgets.session, session.spent, facts) ??
    (key && spentOf('key', budgets.key, key, facts))
  )
}

function spentOf(
  scope: SpentBudget['scope'],
  budget: Budget | undefined,
  spent: Spending,
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
  // The amount that was given, not the raised one: going on allows as much again.
  return spent.used < limit ? undefined : { ...spent, limit: given }
}

export const nameOf = ({ scope, measure }: Pick<SpentBudget, 'scope' | 'measure'>): string => `${scope}.${measure}`

/** As much again, from what is used now. */
export const raise = (raised: RaisedLimits, spent: SpentBudget): RaisedLimits => ({
  ...raised,
  [nameOf(spent)]: spent.used + spent.limit,
})
