import type { BladeOutput, PatchEnvelope, ServerEvents, TurnProjection } from '../wire.ts'

/** A patch with the turn after it; how much of that goes out depends on the client. */
export interface ProjectedPatch {
  readonly event: 'turn:patch'
  /** Without `turn`, and without `content` beside a `text_delta`. */
  readonly payload: PatchEnvelope
  readonly turn: TurnProjection
  /** The turn is too long to go along with every delta. */
  readonly isBare: boolean
}

/** What a session's subscribers are told, before it is made ready for one kind of client. */
export type ProjectedOutput = Exclude<BladeOutput, { readonly event: 'turn:patch' }> | ProjectedPatch

/** A lean client folds by itself; any other gets the whole block with each delta and the whole turn with each patch. */
export function toPayload(output: ProjectedOutput, kind: 'lean' | 'plain'): ServerEvents[keyof ServerEvents] {
  if (output.event !== 'turn:patch' || kind === 'lean') return output.payload
  const { payload, turn, isBare } = output
  const snapshot = isBare ? {} : { turn }
  if (payload.patch_type !== 'add_content' || payload.data.text_delta === undefined) {
    return { ...payload, data: { ...payload.data, ...snapshot } } as PatchEnvelope
  }
  return { ...payload, data: { ...payload.data, content: turn.blocks.at(-1)?.content ?? null, ...snapshot } }
}
