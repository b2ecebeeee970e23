/** What stands beside the chat: the plan as it is now, and the sub-agents as a tree. */
import type { ToolCallProjection, TurnProjection } from '@polylogue/client/blade'
import { isApprovalOf, readCall } from './call-facts.ts'
import { cardOf, type Card } from './card.ts'
import { stepsOf, type PlanStep } from './plan.ts'

export interface AgentNode {
  /** The call that started the sub-agent. */
  readonly call: ToolCallProjection
  readonly title: string
  /** Its loop, by which usage is summed up. Absent until its first step. */
  readonly loopId?: string
  /** The calls that it made, without those of its own sub-agents. */
  readonly calls: number
  readonly children: readonly AgentNode[]
}

export interface SessionOutline {
  readonly plan: readonly PlanStep[]
  readonly agents: readonly AgentNode[]
  /** The newest card that is meant to be shown beside the chat. */
  readonly card?: Card
}

export const isEmptyOutline = ({ plan, agents, card }: SessionOutline): boolean =>
  plan.length === 0 && agents.length === 0 && card === undefined

/** Sub-agents of the last message only: the earlier ones are in the chat. */
export function outlineOf(turns: readonly TurnProjection[]): SessionOutline {
  const own = turns.filter(({ loop_id }) => loop_id === 'root')
  const lastInput = own.findLastIndex(({ role }) => role === 'user')
  const byCall = new Map<string, TurnProjection[]>()
  for (const turn of turns) {
    const { parent_fork_tool_call_id: parent } = turn
    if (parent !== null) byCall.set(parent, [...(byCall.get(parent) ?? []), turn])
  }
  const card = turns
    .flatMap(({ blocks }) => blocks.flatMap((block) => cardOf(block) ?? []))
    .findLast(({ target }) => target === 'preview')
  return { plan: planIn(own), agents: agentsOf(own.slice(lastInput + 1), byCall), ...(card && { card }) }
}

function planIn(turns: readonly TurnProjection[]): readonly PlanStep[] {
  for (let index = turns.length - 1; index >= 0; index--) {
    const call = turns[index]?.tool_calls.findLast(({ arguments: text }) => text.includes('"todos"'))
    const steps = call === undefined ? [] : stepsOf(readCall(call).input)
    if (steps.length > 0) return steps
  }
  return []
}

function agentsOf(
  turns: readonly TurnProjection[],
  byCall: ReadonlyMap<string, readonly TurnProjection[]>,
): readonly AgentNode[] {
  return turns.flatMap(({ tool_calls }) =>
    tool_calls.flatMap((call) => {
      const below = byCall.get(call.id)
      if (below === undefined) return []
      const [first] = below
      const made = below.flatMap((turn) => turn.tool_calls).filter((one) => isApprovalOf(one) === undefined)
      return [
        {
          call,
          title: readCall(call).summary,
          ...(first !== undefined && { loopId: first.loop_id }),
          calls: made.length,
          children: agentsOf(below, byCall),
        },
      ]
    }),
  )
}
