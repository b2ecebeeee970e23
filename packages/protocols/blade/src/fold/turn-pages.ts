import type { TurnProjection } from '../wire.ts'

export const PAGE_SIZE = 50

/** The turns whose `sequence` lies in [`index` × 50, (`index` + 1) × 50), as far as they are known, in their order. */
export interface TurnPage {
  readonly index: number
  readonly turns: readonly TurnProjection[]
}

/**
 * Turns by their place in the session. A changed turn replaces its page and the list of pages; every other page stays the
 * same object. With a limit, the pages that were used least recently are dropped, but never the last one.
 */
export class TurnPages {
  readonly #limit: number
  /** The most recently used page is the last entry. */
  readonly #pages = new Map<number, TurnPage>()
  readonly #pageOf = new Map<string, number>()
  /** In ascending order. */
  #indexes: number[] = []
  #list: readonly TurnPage[] | undefined
  #flat: readonly TurnProjection[] | undefined

  constructor(limit = Infinity) {
    this.#limit = Math.max(1, limit)
  }

  get(turnId: string): TurnProjection | undefined {
    const index = this.#pageOf.get(turnId)
    if (index === undefined) return undefined
    return this.#pages.get(index)?.turns.findLast((turn) => turn.turn_id === turnId)
  }

  set(turn: TurnProjection): void {
    const index = Math.floor(turn.sequence / PAGE_SIZE)
    const before = this.#pageOf.get(turn.turn_id)
    if (before !== undefined && before !== index) this.#without(before, turn.turn_id)
    const page = this.#pages.get(index)
    this.#put({ index, turns: page === undefined ? [turn] : withTurn(page.turns, turn) })
    this.#pageOf.set(turn.turn_id, index)
    this.#evict()
  }

  clear(): void {
    this.#pages.clear()
    this.#pageOf.clear()
    this.#indexes = []
    this.#list = this.#flat = undefined
  }

  drop(index: number): void {
    const page = this.#pages.get(index)
    if (page === undefined) return
    for (const { turn_id } of page.turns) this.#pageOf.delete(turn_id)
    this.#pages.delete(index)
    this.#indexes = this.#indexes.filter((known) => known !== index)
    this.#list = this.#flat = undefined
  }

  /** In their order. The same array until something changes. */
  get list(): readonly TurnPage[] {
    this.#list ??= this.#indexes.flatMap((index) => this.#pages.get(index) ?? [])
    return this.#list
  }

  /** All turns in their order. The same array until something changes. */
  get turns(): readonly TurnProjection[] {
    this.#flat ??= this.list.flatMap(({ turns }) => turns)
    return this.#flat
  }

  get last(): TurnProjection | undefined {
    return this.#pages.get(this.#indexes.at(-1) ?? 0)?.turns.at(-1)
  }

  #put(page: TurnPage): void {
    if (!this.#pages.delete(page.index)) insertSorted(this.#indexes, page.index)
    this.#pages.set(page.index, page)
    this.#list = this.#flat = undefined
  }

  #without(index: number, turnId: string): void {
    const turns = this.#pages.get(index)?.turns.filter((turn) => turn.turn_id !== turnId) ?? []
    if (turns.length === 0) this.drop(index)
    else this.#put({ index, turns })
  }

  #evict(): void {
    if (this.#pages.size <= this.#limit) return
    const oldest = [...this.#pages.keys()].find((index) => index !== this.#indexes.at(-1))
    if (oldest !== undefined) this.drop(oldest)
  }
}

/** Most turns are changed or added at the end. */
function withTurn(turns: readonly TurnProjection[], turn: TurnProjection): readonly TurnProjection[] {
  const known = turns.findLastIndex(({ turn_id }) => turn_id === turn.turn_id)
  if (known !== -1 && turns[known]?.sequence === turn.sequence) return turns.with(known, turn)
  const others = known === -1 ? turns : turns.toSpliced(known, 1)
  const at = others.findLastIndex(({ sequence }) => sequence <= turn.sequence) + 1
  return others.toSpliced(at, 0, turn)
}

function insertSorted(indexes: number[], index: number): void {
  indexes.splice(indexes.findLastIndex((known) => known < index) + 1, 0, index)
}
