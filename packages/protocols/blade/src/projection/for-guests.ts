import type { TurnProjection } from '../wire.ts'
import type { ProjectedOutput } from './projected-output.ts'

/**
 * What is told to whom the owner only shares a session with: memories belong to their user. The same output where it says
 * nothing of them, `undefined` where it says nothing else.
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
