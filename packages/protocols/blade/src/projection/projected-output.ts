import type { BladeOutput, PatchEnvelope, ServerEvents, TurnProjection } from '../wire.ts'

/** A patch and the turn after it. The kind of client decides how much is sent. */
export interface ProjectedPatch {
  readonly event: 'turn:patch'
  /** Without `turn`, and without `content` beside a `text_delta`. */
  readonly payload: PatchEnvelope
  readonly turn: TurnProjection
  /** The turn is too long to be sent with every delta. */
  readonly isBare: boolean
}

/** An output for subscribers, before it is adapted to lean or plain clients. */
export type ProjectedOutput = Exclude<BladeOutput, { readonly event: 'turn:patch' }> | ProjectedPatch

/** A lean client folds patches itself. A plain client gets the whole block with each delta and the turn with each patch. */
export function toPayload(output: ProjectedOutput, kind: 'lean' | 'plain'): ServerEvents[keyof ServerEvents] {
  if (output.event !== 'turn:patch' || kind === 'lean') return output.payload
  const { payload, turn, isBare } = output
  const snapshot = isBare ? {} : { turn }
  if (payload.patch_type !== 'add_content' || payload.data.text_delta === undefined) {
    return { ...payload, data: { ...payload.data, ...snapshot } } as PatchEnvelope
  }
  return { ...payload, data: { ...payload.data, content: turn.blocks.at(-1)?.content ?? null, ...snapshot } }
}
