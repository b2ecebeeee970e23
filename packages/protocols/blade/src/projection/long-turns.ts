import type { Json, TurnProjection } from '../wire.ts'
import type { ProjectedOutput } from './projected-output.ts'

/** In UTF-16 units. Beyond it, not every patch carries the text so far and the whole turn. */
export const LONG_TEXT = 65_536

/**
 * Of several patches that go out together and change one long turn, only the last carries the whole turn: nobody can see
 * the states in between, and each costs the size of the turn.
 */
export function withoutRepeatedSnapshots(outputs: readonly ProjectedOutput[]): readonly ProjectedOutput[] {
  const last = new Map<string, ProjectedOutput>()
  for (const output of outputs) if (output.event === 'turn:patch') last.set(output.payload.turn_id, output)
  return outputs.map((output) => {
    if (output.event !== 'turn:patch' || last.get(output.payload.turn_id) === output) return output
    return isLong(output.turn) ? { ...output, isBare: true } : output
  })
}

function isLong({ blocks, tool_calls }: TurnProjection): boolean {
  let length = 0
  for (const { content } of blocks) if ((length += lengthOf(content)) > LONG_TEXT) return true
  for (const call of tool_calls) {
    length += call.arguments.length + lengthOf(call.result)
    if (length > LONG_TEXT) return true
  }
  return false
}

/** About as many UTF-16 units as its JSON has. */
export function lengthOfTurn({ blocks, tool_calls }: TurnProjection): number {
  const inBlocks = blocks.reduce((sum, { content }) => sum + lengthOf(content), 0)
  return tool_calls.reduce((sum, call) => sum + call.arguments.length + lengthOf(call.result), inBlocks)
}

const lengthOf = (value: Json): number => (typeof value === 'string' ? value.length : JSON.stringify(value).length)
