/**
 * The turns of one session, folded from the server's events. It imports neither Node nor the engine:
 * the same file folds in the tests, in the typed client and in a browser.
 */
import type { BladeOutput, PatchEnvelope, TurnPayload, TurnProjection } from '../wire.ts'
import { applyPatch } from './apply-patch.ts'
import { TurnPages, type TurnPage } from './turn-pages.ts'

export interface FoldOptions {
  /** Whether whole turns inside patches are taken; without them, the patches alone must lead to the same. */
  readonly usesSnapshots?: boolean
  /** How many pages of turns are kept. All of them unless given. */
  readonly maxPages?: number
}

/** No fetch takes so long that this many turns end meanwhile. */
const MOST_FOLLOWED = 1_000

export class SessionFold {
  readonly #sessionId: string
  readonly #usesSnapshots: boolean
  readonly #pages: TurnPages
  /** Turns that the server sent completely since the last `distrust`. A fetched turn cannot be newer. */
  readonly #followed = new Set<string>()
  #lastSequence: number | undefined
  #isDirty = false
  #missed = 0

  constructor(sessionId: string, { usesSnapshots = true, maxPages }: FoldOptions = {}) {
    this.#sessionId = sessionId
    this.#usesSnapshots = usesSnapshots
    this.#pages = new TurnPages(maxPages)
  }

  /** In their order in the session. The same array until something changes. */
  get turns(): readonly TurnProjection[] {
    return this.#pages.turns
  }

  /** The same turns in pages. A page that has not changed is the same object. */
  get pages(): readonly TurnPage[] {
    return this.#pages.list
  }

  /** Something was missed: subscribe and fetch the turns again, then `load` them. */
  get isDirty(): boolean {
    return this.#isDirty
  }

  get lastSequence(): number | undefined {
    return this.#lastSequence
  }

  /** The newest turn. */
  get last(): TurnProjection | undefined {
    return this.#pages.last
  }

  /** How often something was missed. Note it before the turns are fetched. */
  get missed(): number {
    return this.#missed
  }

  /** Every turn may be old: all of them are to be fetched again. */
  distrust(): void {
    this.#followed.clear()
    this.#miss()
  }

  turn(turnId: string): TurnProjection | undefined {
    return this.#pages.get(turnId)
  }

  /**
   * All turns, as the server lists them. Turns that the server told while they were fetched stay as they are.
   * `missedBefore`: what `missed` was when they were asked for. If something was missed since, they are to be fetched again.
   */
  load(turns: readonly TurnProjection[], missedBefore = this.#missed): void {
    const followed = this.#pages.turns.filter(({ turn_id }) => this.#followed.has(turn_id))
    this.#pages.clear()
    for (const turn of [...turns, ...followed]) this.#pages.set(turn)
    this.#isDirty = missedBefore !== this.#missed
  }

  /** The newest turns. Earlier pages stay if nothing is missing in between and nothing in them can have changed. */
  loadTail(turns: readonly TurnProjection[], missedBefore = this.#missed): void {
    const first = turns[0]?.sequence ?? 0
    const earlier = this.#pages.list.map((page) => page.turns.filter(({ sequence }) => sequence < first))
    const isConnected = earlier.findLast((page) => page.length > 0)?.at(-1)?.sequence === first - 1
    const kept = isConnected ? earlier.filter((page) => page.every(isSettled)) : []
    this.load([...kept.flat(), ...turns], missedBefore)
  }

  /** Turns before those that are known. Known ones stay as they are. */
  loadEarlier(turns: readonly TurnProjection[]): void {
    for (const turn of turns.toReversed()) {
      if (this.#pages.get(turn.turn_id) === undefined) this.#pages.set(turn)
    }
  }

  /** Ignores events of other sessions and events that do not concern turns. */
  apply({ event, payload }: BladeOutput): void {
    if (payload.session_id !== this.#sessionId) return
    if (event === 'turn:patch') return this.#patch(payload)
    if (event !== 'turn:start' && event !== 'turn:end') return
    const turn = toTurn(payload)
    this.#pages.set(turn)
    this.#followed.delete(turn.turn_id)
    this.#followed.add(turn.turn_id)
    if (this.#followed.size > MOST_FOLLOWED) this.#forgetOldest()
  }

  #forgetOldest(): void {
    const oldest = [...this.#followed].find((id) => this.#pages.get(id)?.status !== 'streaming')
    if (oldest !== undefined) this.#followed.delete(oldest)
  }

  #patch(envelope: PatchEnvelope): void {
    const { sequence, turn_id, data } = envelope
    const last = this.#lastSequence
    if (last !== undefined && sequence <= last) return
    if (last !== undefined && sequence > last + 1) this.#miss()
    this.#lastSequence = sequence
    if (this.#usesSnapshots && data.turn !== undefined) {
      this.#pages.set(data.turn)
      return
    }
    const turn = this.#pages.get(turn_id)
    const patched = turn && applyPatch(turn, envelope)
    if (patched === undefined) this.#miss()
    else this.#pages.set(patched)
  }

  #miss(): void {
    this.#missed++
    this.#isDirty = true
  }
}

function isSettled({ status, tool_calls: calls }: TurnProjection): boolean {
  const isOpen = status === 'streaming' || status === 'paused'
  return !isOpen && calls.every((call) => call.status !== 'pending' && call.status !== 'awaiting_answer')
}

/** As it is listed in the history. */
export function toTurn({
  session_id: _session,
  solution_id: _solution,
  template_id: _template,
  ...turn
}: TurnPayload): TurnProjection {
  return turn
}
