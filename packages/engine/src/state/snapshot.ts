import { STATE_SHAPE, type SessionState } from './session-state.ts'

export const writeSnapshot = (state: SessionState): string => JSON.stringify(state)

/** A snapshot of another shape is ignored, and the log is folded from its start. */
export function readSnapshot(text: string): SessionState | undefined {
  const state = JSON.parse(text) as SessionState | { readonly shape?: undefined }
  return state.shape === STATE_SHAPE ? state : undefined
}
