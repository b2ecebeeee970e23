import { textOf } from '../content.ts'
import type { Recorded } from '../events/recorded-event.ts'
import type { ToolCallSettled } from '../events/call-events.ts'
import type { SessionState } from './session-state.ts'
import { raise, type TurnBudget } from '../cost/budget.ts'
import { addCall } from '../cost/spending.ts'
import { allowsMore, describeSpentBudget } from '../cost/budget-question.ts'
import { usageRowOf } from './usage-row.ts'

/**
 * Updates usage and budgets for an event. `before` and `after`: the state around the event, already folded otherwise.
 */
export function foldSpending(before: SessionState, after: SessionState, recorded: Recorded): SessionState {
  const { event, at } = recorded
  const row = usageRowOf(before, recorded)
  if (row !== undefined) {
    const counted = { ...after, spent: addCall(after.spent, row.usage) }
    return withBudget(counted, (budget) => ({ ...budget, spent: addCall(budget.spent, row.usage) }))
  }
  switch (event.type) {
    case 'turn.paused':
      return withBudget(after, ({ workingSince = at, ...budget }) => ({
        ...budget,
        workedMs: budget.workedMs + Math.max(0, at - workingSince),
      }))
    case 'turn.resumed':
      return withBudget(after, (budget) => ({ ...budget, workingSince: at }))
    case 'turn.taken-over':
      // The time without a runner does not count as working time.
      return withBudget(after, ({ workingSince = before.updatedAt, ...budget }) => ({
        ...budget,
        workedMs: budget.workedMs + Math.max(0, before.updatedAt - workingSince),
        workingSince: at,
      }))
    case 'step.answered': {
      const [call] = event.blocks.filter((block) => block.type === 'tool-call')
      const { budget: spent } = event
      if (spent === undefined || call === undefined) return after
      return withBudget(after, (budget) => ({ ...budget, asked: { ...spent, toolCallId: call.toolCallId } }))
    }
    case 'tool-call.settled':
      return answered(after, event)
    default:
      return after
  }
}

function answered(state: SessionState, { toolCallId, status, output }: ToolCallSettled): SessionState {
  const asked = state.turn?.budget.asked
  if (asked?.toolCallId !== toolCallId) return state
  const isAllowed = status === 'completed' && allowsMore(textOf(output))
  const raised = isAllowed && asked.scope === 'session' ? raise(state.raised, asked) : state.raised
  return withBudget({ ...state, raised }, ({ asked: _asked, ...budget }) => {
    if (!isAllowed) return { ...budget, stopped: describeSpentBudget(asked) }
    return asked.scope === 'session' ? budget : { ...budget, raised: raise(budget.raised, asked) }
  })
}

function withBudget(state: SessionState, change: (budget: TurnBudget) => TurnBudget): SessionState {
  const { turn } = state
  return turn === undefined ? state : { ...state, turn: { ...turn, budget: change(turn.budget) } }
}
