import { PAGE_BYTES, type Recorded, type SessionId } from '@polylogue/engine'
import type { ConsoleDeps } from './deps.ts'

export interface LogQuery {
  readonly sessionId: SessionId
  readonly lastSeq: number
  readonly after: number
  readonly before?: number | undefined
  readonly type?: string | undefined
  readonly limit: number
}

export interface LogPage {
  readonly page: readonly Recorded[]
  /** Where the next page starts, or with `before` where the previous one ends. */
  readonly next?: number
}

/** Events that one request looks at while it searches for a type. */
const MOST_LOOKED_AT = 20_000
const CHUNK = 1_000

type Events = Pick<ConsoleDeps['events'], 'readEvents'>

/** An answer holds at most `PAGE_BYTES` of events, and at least one. */
export const readLogPage = (events: Events, query: LogQuery): Promise<LogPage> =>
  query.before === undefined ? readOnwards(events, query) : readBackwards(events, { ...query, before: query.before })

async function readOnwards(events: Events, { sessionId, lastSeq, after, type, limit }: LogQuery): Promise<LogPage> {
  const page: Recorded[] = []
  let seq = after
  let room = PAGE_BYTES
  const isFull = (): boolean => page.length === limit || room <= 0
  for (let looked = 0; !isFull() && seq < lastSeq && looked < MOST_LOOKED_AT;) {
    const chunk = await events.readEvents(sessionId, seq, type === undefined ? limit - page.length : CHUNK)
    if (chunk.length === 0) break
    for (const recorded of chunk) {
      if (isFull()) break
      seq = recorded.seq
      looked += 1
      if (type !== undefined && recorded.event.type !== type) continue
      page.push(recorded)
      if (type !== undefined) room -= sizeOf(recorded)
    }
    // A page of large events has fewer than `limit`.
    if (type === undefined) break
  }
  return { page, ...(seq > after && (isFull() || seq < lastSeq) && { next: seq }) }
}

async function readBackwards(
  events: Events,
  { sessionId, lastSeq, before, type, limit }: LogQuery & { readonly before: number },
): Promise<LogPage> {
  const newest = new NewestEvents(limit)
  let end = Math.min(before, lastSeq + 1)
  for (let looked = 0; !newest.isFull && end > 1 && looked < MOST_LOOKED_AT;) {
    const start = Math.max(0, end - 1 - (type === undefined ? limit - newest.page.length : CHUNK))
    const older = newest.older()
    for (let seq = start; seq < end - 1;) {
      const chunk = await events.readEvents(sessionId, seq, end - 1 - seq)
      if (chunk.length === 0) break
      looked += chunk.length
      seq = chunk.at(-1)?.seq ?? seq
      for (const recorded of chunk) if (type === undefined || recorded.event.type === type) older.add(recorded)
    }
    newest.addBefore(older)
    end = start + 1
  }
  const next = newest.isCut ? (newest.page[0]?.seq ?? 1) : end
  return { page: newest.page, ...(next > 1 && { next }) }
}

/** The last events of a part of the log, as many as one answer may hold. */
class NewestEvents {
  readonly #limit: number
  #page: Recorded[] = []
  #sizes: number[] = []
  #room: number
  /** Older events were left out. */
  isCut = false

  constructor(limit: number, room = PAGE_BYTES) {
    this.#limit = limit
    this.#room = room
  }

  get page(): readonly Recorded[] {
    return this.#page
  }

  get isFull(): boolean {
    return this.isCut || this.#page.length === this.#limit || this.#room <= 0
  }

  /** For the events before these. Holds what these leave room for. */
  older(): NewestEvents {
    return new NewestEvents(this.#limit - this.#page.length, this.#room)
  }

  add(recorded: Recorded): void {
    const size = sizeOf(recorded)
    this.#page.push(recorded)
    this.#sizes.push(size)
    this.#room -= size
    while (this.#page.length > this.#limit || (this.#room < 0 && this.#page.length > 1)) {
      this.#page.shift()
      this.#room += this.#sizes.shift() ?? 0
      this.isCut = true
    }
  }

  addBefore(older: NewestEvents): void {
    this.#page = [...older.#page, ...this.#page]
    this.#sizes = [...older.#sizes, ...this.#sizes]
    this.#room = older.#room
    this.isCut = older.isCut
  }
}

/** In UTF-16 units, which is close enough. */
const sizeOf = ({ event }: Recorded): number => JSON.stringify(event).length
