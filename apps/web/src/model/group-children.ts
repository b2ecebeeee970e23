import type { TurnProjection } from '@polylogue/client/blade'

/** The turns of sub-agents, by the call that started them. */
export function groupChildren(turns: readonly TurnProjection[]): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>()
  for (const { turn_id, parent_fork_tool_call_id: parent } of turns) {
    if (parent === null) continue
    const known = children.get(parent)
    if (known === undefined) children.set(parent, [turn_id])
    else known.push(turn_id)
  }
  return children
}
