import type { Json, TurnProjection } from '../wire.ts'
import type { ProjectedOutput } from './projected-output.ts'

/** In UTF-16 units. Patches of a longer turn do not all carry its text and the whole turn. */
export const LONG_TEXT = 65_536

/**
 * When several patches of one long turn are sent together, only the last carries the whole turn. The states in between are
 * never visible, and each would cost the size of the turn.
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

/** Approximates the length of its JSON in UTF-16 units. */
export function lengthOfTurn({ blocks, tool_calls }: TurnProjection): number {
  const inBlocks = blocks.reduce((sum, { content }) => sum + lengthOf(content), 0)
  return tool_calls.reduce((sum, call) => sum + call.arguments.length + lengthOf(call.result), inBlocks)
}

const lengthOf = (value: Json): number => (typeof value === 'string' ? value.length : JSON.stringify(value).length)
