import type { AgentDefinition, BudgetBook, PriceBook } from '@polylogue/engine'

/** Finds agents with a budget of money whose model has no price, so that the budget cannot limit them. */
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
