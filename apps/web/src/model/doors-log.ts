/** The log of a session with what each door makes of it, followed from its start. */
import type { AttachedClient, ConsoleClient, DoorsRow } from '@polylogue/client/console'
import type { Notifier } from './notifier.ts'

export const doorsKey = (sessionId: string): string => `doors:${sessionId}`

export interface DoorsSnapshot {
  readonly doors: readonly string[]
  /** Row `seq` is at the index `seq - 1`. */
  readonly rows: readonly DoorsRow[]
  readonly clients: readonly AttachedClient[]
  readonly problem?: string
}

/** Of a longer log, the rows before these keep the names of their messages only. */
const WHOLE_ROWS = 2_000
const REDRAW_MS = 50

/** Rows whose messages have a name and no body. */
const light = new WeakSet<DoorsRow>()
export const isLight = (row: DoorsRow): boolean => light.has(row)

function toNames({ seq, at, event, shown }: DoorsRow): DoorsRow {
  const names = Object.entries(shown).map(
    ([door, sent]) => [door, sent.map(({ name }) => ({ name, body: null }))] as const,
  )
  const row: DoorsRow = { seq, at, event: { type: event.type }, shown: Object.fromEntries(names) }
  light.add(row)
  return row
}

export class DoorsLog {
  readonly #id: string
  readonly #api: () => Promise<ConsoleClient>
  readonly #notifier: Notifier
  #snapshot: DoorsSnapshot = { doors: [], rows: [], clients: [] }
  /** Rows as they come. The snapshot gets a copy once a frame. */
  readonly #rows: DoorsRow[] = []
  #isDue = false
  #source: EventSource | undefined

  constructor(id: string, api: () => Promise<ConsoleClient>, notifier: Notifier) {
    this.#id = id
    this.#api = api
    this.#notifier = notifier
  }

  get snapshot(): DoorsSnapshot {
    return this.#snapshot
  }

  /** Follows the log until `close`. The browser reconnects by itself, after the last row that it has. */
  open(): void {
    if (this.#source !== undefined) return
    const after = Math.max(0, this.#rows.length - 1)
    const source = new EventSource(
      `/api/polylogue/sessions/${encodeURIComponent(this.#id)}/doors?follow=1&after=${after}`,
    )
    source.addEventListener('doors', ({ data }) =>
      this.#change(JSON.parse(String(data)) as Pick<DoorsSnapshot, 'doors'>),
    )
    source.addEventListener('row', ({ data }) => this.#put(JSON.parse(String(data)) as DoorsRow))
    source.addEventListener('error', () => void this.#askWhy())
    this.#source = source
  }

  close(): void {
    this.#source?.close()
    this.#source = undefined
  }

  async readClients(): Promise<void> {
    const { clients } = await (await this.#api()).readClients({ id: this.#id })
    this.#change({ clients })
  }

  /** The whole row, also where only its names are kept. */
  async readRow({ seq }: DoorsRow): Promise<DoorsRow | undefined> {
    const { rows } = await (await this.#api()).readDoors({ id: this.#id, query: { after: seq - 1, limit: 1 } })
    return rows[0]
  }

  #put(row: DoorsRow): void {
    this.#rows[row.seq - 1] = row
    const old = this.#rows[row.seq - 1 - WHOLE_ROWS]
    if (old !== undefined) this.#rows[old.seq - 1] = toNames(old)
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => {
      this.#isDue = false
      this.#change({ rows: [...this.#rows] })
    }, REDRAW_MS)
  }

  /** A stream that was refused is closed. One that broke is opened again by the browser. */
  async #askWhy(): Promise<void> {
    if (this.#source?.readyState !== EventSource.CLOSED) return
    this.close()
    try {
      await this.readClients()
    } catch (error) {
      this.#change({ problem: error instanceof Error ? error.message : String(error) })
    }
  }

  #change(changes: Partial<DoorsSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changes }
    this.#notifier.changed(doorsKey(this.#id))
  }
}
