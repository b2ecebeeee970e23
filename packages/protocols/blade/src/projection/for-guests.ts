import type { TurnProjection } from '../wire.ts'
import type { ProjectedOutput } from './projected-output.ts'

/**
 * Removes the owner's memories from an output for users whom the session is shared with. Returns the same output when it
 * has no memories, and `undefined` when nothing else is left.
 */
export function forGuests(output: ProjectedOutput): ProjectedOutput | undefined {
  switch (output.event) {
    case 'memory:inject:done':
      return undefined
    case 'turn:start':
    case 'turn:end':
      return output.payload.memory_refs === null ? output : { ...output, payload: withoutMemories(output.payload) }
    case 'turn:patch':
      return output.turn.memory_refs === null ? output : { ...output, turn: withoutMemories(output.turn) }
    default:
      return output
  }
}

export const withoutMemories = <Turn extends TurnProjection>(turn: Turn): Turn => ({ ...turn, memory_refs: null })
