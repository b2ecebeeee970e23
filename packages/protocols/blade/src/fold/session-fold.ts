/**
 * The turns of one session as a client knows them, from what the server tells. It imports nothing of Node or the engine:
 * the same file folds in the tests, in the typed client and in a browser.
 */
import type { BladeOutput, PatchEnvelope, ToldTurn, TurnProjection } from '../wire.ts'
import { applyPatch } from './apply-patch.ts'

export interface FoldOptions {
  /** Whether whole turns inside patches are taken; without them, the patches alone must lead to the same. */
  readonly usesSnapshots?: boolean
}

export class SessionFold {
  readonly #sessionId: string
  readonly #usesSnapshots: boolean
  #turns = new Map<string, TurnProjection>()
  #lastSequence: number | undefined
  #isDirty = false
  #told = 0

  constructor(sessionId: string, { usesSnapshots = true }: FoldOptions = {}) {
    this.#sessionId = sessionId
    this.#usesSnapshots = usesSnapshots
  }

  /** In their order in the session. */
  get turns(): readonly TurnProjection[] {
    return [...this.#turns.values()].toSorted((a, b) => a.sequence - b.sequence)
  }

  /** Something was missed: fetch all turns anew and `load` them. */
  get isDirty(): boolean {
    return this.#isDirty
  }

  get lastSequence(): number | undefined {
    return this.#lastSequence
  }

  /** How much of this session it was told. To be noted before all turns are fetched. */
  get told(): number {
    return this.#told
  }

  /** What is here may be old: it is to be fetched anew. */
  distrust(): void {
    this.#told++
    this.#isDirty = true
  }

  turn(turnId: string): TurnProjection | undefined {
    return this.#turns.get(turnId)
  }

  /**
   * All turns, as the server lists them. `toldBefore`: what `told` was when they were asked for. Whether they have what
   * came since nobody knows: then they are to be fetched once more.
   */
  load(turns: readonly TurnProjection[], toldBefore = this.#told): void {
    this.#turns = new Map(turns.map((turn) => [turn.turn_id, turn]))
    this.#isDirty = toldBefore !== this.#told
  }

  /** Events of other sessions, and those that say nothing of turns, are passed over. */
  apply({ event, payload }: BladeOutput): void {
    if (payload.session_id !== this.#sessionId) return
    if (event !== 'turn:start' && event !== 'turn:patch' && event !== 'turn:end') return
    this.#told++
    if (event === 'turn:patch') return this.#patch(payload)
    this.#turns.set(payload.turn_id, toTurn(payload))
  }

  #patch(envelope: PatchEnvelope): void {
    const { sequence, turn_id, data } = envelope
    const last = this.#lastSequence
    if (last !== undefined && sequence <= last) return
    if (last !== undefined && sequence > last + 1) this.#isDirty = true
    this.#lastSequence = sequence
    if (this.#usesSnapshots && data.turn !== undefined) {
      this.#turns.set(turn_id, data.turn)
      return
    }
    const turn = this.#turns.get(turn_id)
    const patched = turn && applyPatch(turn, envelope)
    if (patched === undefined) this.#isDirty = true
    else this.#turns.set(turn_id, patched)
  }
}

/** As it is listed in the history. */
export function toTurn({
  session_id: _session,
  solution_id: _solution,
  template_id: _template,
  ...turn
}: ToldTurn): TurnProjection {
  return turn
}
