/**
 * The rows of a chat, of which only some pages are loaded. A row that is not loaded has a gap in its place, so nothing moves
 * when its page comes.
 */
import type { TurnProjection } from '@polylogue/client/blade'
import { request } from './http.ts'
import { groupChildren } from './group-children.ts'
import { TurnFold } from './turn-fold.ts'

export const ROWS_PER_PAGE = 50
/** Besides the last one. */
const KEPT_PAGES = 8
const NONE: readonly string[] = []

export interface RowPage {
  readonly rows: readonly { readonly row?: number; readonly turn: TurnProjection }[]
  readonly total: number
  readonly seq: number
  readonly last: number
}

export interface PageQuery {
  readonly before?: number
  readonly of?: string
  readonly at?: number
  readonly limit?: number
}

export async function readPage(sessionId: string, query: PageQuery = {}): Promise<RowPage> {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries({ limit: ROWS_PER_PAGE, ...query })) asked.set(name, `${value}`)
  const answer = await request('GET', `/api/polylogue/sessions/${encodeURIComponent(sessionId)}/turns?${asked}`)
  // Our own server answers as its types say.
  return answer as RowPage
}

export const gapOf = (row: number): string => `gap:${row}`
/** The row that is not loaded, or nothing. */
export const rowOfGap = (item: string): number | undefined =>
  item.startsWith('gap:') ? Number(item.slice('gap:'.length)) : undefined

export class RowPages {
  readonly fold = new TurnFold()
  readonly #sessionId: string
  readonly #at: number | undefined
  readonly #changed: () => void
  #rows: readonly string[] = NONE
  /** The page that was used last is the last entry. */
  readonly #used = new Set<number>()
  readonly #asked = new Set<number>()
  #children: ReadonlyMap<string, readonly string[]> = new Map()

  constructor(sessionId: string, { at, changed }: { readonly at?: number; readonly changed: () => void }) {
    this.#sessionId = sessionId
    this.#at = at
    this.#changed = changed
  }

  /** The id of each row's turn, or a gap. The same array until a row is added or loaded. */
  get rows(): readonly string[] {
    return this.#rows
  }

  childrenOf(toolCallId: string): readonly string[] {
    return this.#children.get(toolCallId) ?? NONE
  }

  /** The newest rows. Earlier ones stay unless they may have changed since. Turns told meanwhile are placed anew. */
  takeTail(page: RowPage): void {
    const isKept = (id: string): boolean => !this.fold.isTold(id) && this.#isSettled(id)
    const kept = this.#rows.slice(0, page.total).map((id, row) => (isKept(id) ? id : gapOf(row)))
    this.#take(page, kept)
    this.#addTold()
  }

  takeEarlier(page: RowPage): void {
    this.#take(page, this.#rows)
  }

  /** A turn was told of for the first time. */
  add(turn: TurnProjection): void {
    if (isRow(turn)) this.#rows = [...this.#rows, turn.turn_id]
    this.#children = groupChildren(this.fold.turns)
  }

  /** Loads the page of a row that is in view. */
  want(row: number): void {
    const index = Math.floor(row / ROWS_PER_PAGE)
    if (this.#asked.has(index)) return
    this.#asked.add(index)
    void this.#read({ before: (index + 1) * ROWS_PER_PAGE })
      .catch(() => undefined)
      .finally(() => this.#asked.delete(index))
  }

  /** The row of a turn, by its id or that of its entry; -1 if there is none. */
  async reach(target: string): Promise<number> {
    const known = this.find(target)
    if (known !== -1) return known
    await this.#read({ of: target })
    return this.find(target)
  }

  find(target: string): number {
    return this.#rows.findIndex((id) => id === target || this.fold.turn(id)?.id === target)
  }

  async #read(query: PageQuery): Promise<void> {
    const page = await readPage(this.#sessionId, { ...query, ...(this.#at !== undefined && { at: this.#at }) })
    this.takeEarlier(page)
    this.#changed()
  }

  #take({ rows, total }: RowPage, known: readonly string[]): void {
    const places = Array.from({ length: Math.max(total, known.length) }, (_, row) => known[row] ?? gapOf(row))
    for (const { row, turn } of rows) if (row !== undefined) places[row] = turn.turn_id
    this.fold.load(rows.map(({ turn }) => turn))
    this.#rows = places
    const first = rows.find(({ row }) => row !== undefined)?.row
    if (first !== undefined) this.#use(Math.floor(first / ROWS_PER_PAGE))
    this.#children = groupChildren(this.fold.turns)
  }

  /** What was told while the page was read may be newer than the page. */
  #addTold(): void {
    const known = new Set(this.#rows)
    const newest = this.#rows.map((id) => this.fold.turn(id)?.sequence ?? -1).reduce((a, b) => Math.max(a, b), -1)
    const told = this.fold.turns.filter((turn) => isRow(turn) && turn.sequence > newest && !known.has(turn.turn_id))
    this.#rows = [...this.#rows, ...told.map(({ turn_id }) => turn_id)]
  }

  #use(index: number): void {
    this.#used.delete(index)
    this.#used.add(index)
    const last = Math.floor((this.#rows.length - 1) / ROWS_PER_PAGE)
    for (const old of [...this.#used].slice(0, -KEPT_PAGES)) if (old < last - 1) this.#drop(old)
  }

  #drop(index: number): void {
    this.#used.delete(index)
    const start = index * ROWS_PER_PAGE
    const dropped = this.#rows.slice(start, start + ROWS_PER_PAGE)
    this.fold.forget(dropped)
    this.#rows = this.#rows.map((id, row) => (row >= start && row < start + ROWS_PER_PAGE ? gapOf(row) : id))
  }

  #isSettled(id: string): boolean {
    const turn = this.fold.turn(id)
    if (turn === undefined || turn.status === 'streaming' || turn.status === 'paused') return false
    return turn.tool_calls.every(({ status }) => status !== 'pending' && status !== 'awaiting_answer')
  }
}

/** Answers are shown with their question, and turns of sub-agents below their call. */
const isRow = ({ loop_id, blocks }: TurnProjection): boolean =>
  loop_id === 'root' && !blocks.some(({ type }) => type === 'ask_user_answer')
