import type { AgentDefinition, BudgetBook, PriceBook } from '@polylogue/engine'

/** Agents that are to have a budget of money, and whose model has no price: the budget does not hold them. */
export function findUnlimited(
  agents: readonly Pick<AgentDefinition, 'name' | 'modelName'>[],
  { budgets, prices }: { readonly budgets: BudgetBook; readonly prices: PriceBook },
): readonly { readonly agent: string; readonly model: string }[] {
  return agents.flatMap(({ name, modelName }) => {
    const { turn, session, key } = budgets.budgetsOf(name, undefined)
    const isMeant = [turn, session, key].some((budget) => budget?.money !== undefined)
    return isMeant && prices.find(modelName) === undefined ? [{ agent: name, model: modelName }] : []
  })
}
