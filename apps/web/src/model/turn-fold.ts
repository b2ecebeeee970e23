/**
 * The turns of one session, from the list that the server keeps and from what it tells while they change. A turn that
 * was told whole since the list was asked for is newer than the list's.
 */
import { applyPatch, toTurn, type BladeOutput, type TurnProjection } from '@polylogue/client/blade'

export type FoldResult =
  /** The turn is new, so the order of turns changed. */
  | { readonly type: 'added'; readonly turnId: string }
  | { readonly type: 'changed'; readonly turnId: string }
  /** A patch was missed: load all turns again. */
  | { readonly type: 'missed' }
  | { readonly type: 'nothing' }

export class TurnFold {
  readonly #turns = new Map<string, TurnProjection>()
  readonly #told = new Set<string>()
  #order: readonly string[] = []
  #lastPatch: number | undefined

  /** Ids in their order in the session. The same array until a turn is added. */
  get order(): readonly string[] {
    return this.#order
  }

  turn(turnId: string): TurnProjection | undefined {
    return this.#turns.get(turnId)
  }

  get turns(): readonly TurnProjection[] {
    return this.#order.flatMap((id) => this.#turns.get(id) ?? [])
  }

  get lastSequence(): number {
    return this.turn(this.#order.at(-1) ?? '')?.sequence ?? -1
  }

  /** Whether the turn was told whole since the list was asked for. */
  isTold(turnId: string): boolean {
    return this.#told.has(turnId)
  }

  /** To be called before the list is asked for. */
  beginLoad(): void {
    this.#told.clear()
    this.#lastPatch = undefined
  }

  load(turns: readonly TurnProjection[]): void {
    for (const turn of turns) if (!this.#told.has(turn.turn_id)) this.#turns.set(turn.turn_id, turn)
    this.#sort()
  }

  /** With the turns of their sub-agents. */
  forget(turnIds: readonly string[]): void {
    const calls = new Set(turnIds.flatMap((id) => this.#turns.get(id)?.tool_calls.map((call) => call.id) ?? []))
    const below = this.turns.filter(({ parent_fork_tool_call_id: parent }) => parent !== null && calls.has(parent))
    for (const id of turnIds) this.#turns.delete(id)
    if (below.length > 0) this.forget(below.map(({ turn_id }) => turn_id))
    this.#sort()
  }

  apply(output: BladeOutput): FoldResult {
    if (output.event === 'turn:patch') return this.#patch(output.payload)
    if (output.event !== 'turn:start' && output.event !== 'turn:end') return { type: 'nothing' }
    const { turn_id: turnId } = output.payload
    const isNew = !this.#turns.has(turnId)
    this.#turns.set(turnId, toTurn(output.payload))
    this.#told.add(turnId)
    if (isNew) this.#sort()
    return { type: isNew ? 'added' : 'changed', turnId }
  }

  #patch(envelope: Extract<BladeOutput, { event: 'turn:patch' }>['payload']): FoldResult {
    const { sequence, turn_id: turnId } = envelope
    const last = this.#lastPatch
    if (last !== undefined && sequence <= last) return { type: 'nothing' }
    this.#lastPatch = sequence
    const turn = this.#turns.get(turnId)
    const patched = turn && applyPatch(turn, envelope)
    if (patched === undefined || (last !== undefined && sequence > last + 1)) return { type: 'missed' }
    this.#turns.set(turnId, patched)
    return { type: 'changed', turnId }
  }

  #sort(): void {
    const turns = [...this.#turns.values()].toSorted((a, b) => a.sequence - b.sequence)
    this.#order = turns.map(({ turn_id }) => turn_id)
  }
}
