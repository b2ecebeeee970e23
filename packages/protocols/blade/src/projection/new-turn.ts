import type { TurnProjection } from '../wire.ts'
import type { TurnIds } from './turn-ids.ts'

export type NewTurn = Omit<TurnProjection, 'sequence'>

interface TurnStart extends Partial<NewTurn> {
  readonly role: TurnProjection['role']
  readonly at: number
}

/** All fields in wire order. Fields that are not given are empty. */
export function newTurn({ id, turn_id }: TurnIds, { at, ...start }: TurnStart): NewTurn {
  return {
    id,
    turn_id,
    loop_id: 'root',
    kind: 'message',
    status: 'completed',
    blocks: [],
    tool_calls: [],
    model: null,
    usage: null,
    duration_ms: 0,
    started_at: toTime(at),
    context_window: null,
    memory_refs: null,
    parent_fork_tool_call_id: null,
    ...start,
  }
}

export const toTime = (at: number): string => new Date(at).toISOString()
