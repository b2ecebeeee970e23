import type { BudgetBook, Budgets } from '@polylogue/engine'
import type { BudgetSettings } from './cost-schema.ts'

export interface BudgetBookParts {
  readonly budgets: BudgetSettings
  readonly agents: readonly {
    readonly name: string
    readonly budgets?: Pick<Budgets, 'turn' | 'session'> | undefined
  }[]
}

/** A budget of an agent or a key replaces that of the server. */
export function createBudgetBook({ budgets, agents }: BudgetBookParts): BudgetBook {
  const { currency, keys, ...general } = budgets
  const ofAgents = new Map(agents.map((agent) => [agent.name, { ...general, ...agent.budgets }]))
  return {
    currency,
    budgetsOf(agent, keyId) {
      const own = ofAgents.get(agent) ?? general
      const key = keyId !== undefined && Object.hasOwn(keys, keyId) ? keys[keyId] : own.key
      return key === undefined ? own : { ...own, key }
    },
  }
}
