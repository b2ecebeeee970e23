/** The log of a session with what each door makes of it, loaded page by page and kept up to date. */
import type { BladeOutput, TurnProjection } from '@polylogue/blade/client'
import type { AttachedClient, ConsoleClient, DoorsRow } from '@polylogue/console/client'
import type { Notifier } from './notifier.ts'
import { groupChildren, visibleRows } from './open-session.ts'
import { TurnFold } from './turn-fold.ts'
import type { TurnSource } from './turn-source.ts'

const PAGE = 500
const NONE: readonly string[] = []

export const doorsKey = (sessionId: string): string => `doors:${sessionId}`

export interface DoorsSnapshot {
  readonly doors: readonly string[]
  /** Row `seq` is at the index `seq - 1`. */
  readonly rows: readonly DoorsRow[]
  readonly clients: readonly AttachedClient[]
  readonly problem?: string
}

export class DoorsLog {
  readonly #id: string
  readonly #api: () => Promise<ConsoleClient>
  readonly #notifier: Notifier
  #snapshot: DoorsSnapshot = { doors: [], rows: [], clients: [] }
  #reading: Promise<void> | undefined

  constructor(id: string, api: () => Promise<ConsoleClient>, notifier: Notifier) {
    this.#id = id
    this.#api = api
    this.#notifier = notifier
  }

  get snapshot(): DoorsSnapshot {
    return this.#snapshot
  }

  /** Reads what was recorded since. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async readClients(): Promise<void> {
    const { clients } = await (await this.#api()).readClients({ id: this.#id })
    this.#change({ clients })
  }

  async #read(): Promise<void> {
    try {
      const api = await this.#api()
      for (;;) {
        // The last row held messages early that belong to the next one, so it is read again.
        const after = Math.max(0, this.#snapshot.rows.length - 1)
        const { doors, rows, last } = await api.readDoors({ id: this.#id, query: { after, limit: PAGE } })
        this.#change({ doors, rows: [...this.#snapshot.rows.slice(0, after), ...rows] })
        if (this.#snapshot.rows.length >= last || rows.length <= 1) return
      }
    } catch (error) {
      this.#change({ problem: error instanceof Error ? error.message : String(error) })
    }
  }

  /** The session as a client of Blade had it after the event `seq`. */
  async at(seq: number): Promise<PastSession> {
    await this.refresh()
    const { rows } = await (await this.#api()).readDoors({ id: this.#id, query: { after: seq - 1, limit: 1 } })
    return toPast(this.#id, [...this.#snapshot.rows.slice(0, seq - 1), ...rows])
  }

  #change(changes: Partial<DoorsSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changes }
    this.#notifier.changed(doorsKey(this.#id))
  }
}

export interface PastSession extends TurnSource {
  readonly rows: readonly string[]
}

/** Folds what Blade sent for these events. */
export function toPast(id: string, rows: readonly DoorsRow[]): PastSession {
  const fold = new TurnFold()
  for (const { shown } of rows) {
    for (const { name, body } of shown['blade'] ?? []) {
      // Our own server made it with the schemas of these types.
      fold.apply({ event: name, payload: body } as BladeOutput)
    }
  }
  const turns: readonly TurnProjection[] = fold.turns
  const children = groupChildren(turns)
  return {
    id,
    fold,
    mayChange: false,
    rows: visibleRows(turns),
    childrenOf: (toolCallId) => children.get(toolCallId) ?? NONE,
  }
}
