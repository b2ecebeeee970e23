/** The sessions of the user, as the rail lists them: kept up to date by what the server tells every socket. */
import type { BladeOutput, Session } from '@polylogue/client/blade'
import type { ConsoleClient } from '@polylogue/client/console'
import { listSessions, readSession } from './blade-rest.ts'
import type { Notifier } from './notifier.ts'

export type ListedSession = Session & {
  readonly queue: number
  /** The door that it came through, once it is known. */
  readonly via?: string
}

export const LIST_KEY = 'list'
const PAGE = 100
/** Pinned sessions can be older than the first page. */
const FEW = 10

export class SessionList {
  readonly #notifier: Notifier
  readonly #byId = new Map<string, ListedSession>()
  #order: readonly ListedSession[] = []
  readonly #suggested = new Map<string, string>()
  readonly #doors = new Map<string, string | undefined>()
  #total = 0
  /** How many of them came in pages, the one that changed last first. */
  #paged = 0
  #isLoaded = false
  #isWaitingRead = false

  constructor(notifier: Notifier) {
    this.#notifier = notifier
  }

  /** Pinned sessions first, then the one that changed last. The same array until something changes. */
  get sessions(): readonly ListedSession[] {
    return this.#order
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  get hasMore(): boolean {
    return this.#paged < this.#total
  }

  find(id: string): ListedSession | undefined {
    return this.#byId.get(id)
  }

  /** Blade does not tell the doors of sessions; our own protocol does. */
  async readDoors(api: Pick<ConsoleClient, 'findSessions' | 'readSession'>): Promise<void> {
    const { hits } = await api.findSessions({ query: { limit: PAGE } })
    for (const { session } of hits) this.#setDoor(session.sessionId, session.via)
    const unknown = this.#order.filter(({ id }) => !this.#doors.has(id)).slice(0, FEW)
    for (const { id } of unknown) await this.readDoor(id, api)
    this.#changed()
  }

  async readDoor(id: string, api: Pick<ConsoleClient, 'readSession'>): Promise<void> {
    const { session } = await api.readSession({ id, query: { messages: '0' } })
    this.#setDoor(id, session.via)
    this.#changed()
  }

  #setDoor(id: string, via: string | undefined): void {
    this.#doors.set(id, via)
    const known = this.#byId.get(id)
    if (known !== undefined) this.#byId.set(id, this.#known(known))
  }

  async load(): Promise<void> {
    const { items, total } = await listSessions({ limit: PAGE, offset: 0 })
    this.#byId.clear()
    for (const session of items) this.#byId.set(session.id, this.#known({ ...session, queue: 0 }))
    this.#total = total
    this.#paged = items.length
    this.#isLoaded = true
    this.#changed()
  }

  async loadMore(): Promise<void> {
    const { items, total } = await listSessions({ limit: PAGE, offset: this.#paged })
    for (const session of items)
      if (!this.#byId.has(session.id)) this.#byId.set(session.id, this.#known({ ...session, queue: 0 }))
    this.#total = total
    this.#paged += items.length
    this.#changed()
  }

  /** What waits is listed, however long ago it began to. Once: what begins to wait later is told. */
  async readWaiting(api: Pick<ConsoleClient, 'findSessions'>): Promise<void> {
    if (!this.hasMore || this.#isWaitingRead) return
    this.#isWaitingRead = true
    const { hits } = await api.findSessions({ query: { status: 'waiting', limit: PAGE } })
    for (const { session } of hits) await this.#add(session.sessionId)
  }

  /** One that is below the pages that were read. */
  async #add(id: string): Promise<void> {
    if (this.#byId.has(id)) return
    const session = await readSession(id)
    if (session.viewer_role !== 'owner' || this.#byId.has(id)) return
    this.#byId.set(id, this.#known({ ...session, queue: 0 }))
    this.#changed()
  }

  /** A title until the server tells one, which it does when the first turn rests. */
  suggestTitle(id: string, text: string): void {
    const known = this.#byId.get(id)
    const intent = text.split('\n', 1)[0] ?? ''
    if (known !== undefined && known.intent !== '') return
    this.#suggested.set(id, intent)
    if (known !== undefined) this.#byId.set(id, { ...known, intent })
    this.#changed()
  }

  apply({ event, payload }: BladeOutput): void {
    switch (event) {
      case 'session:created': {
        const { session_id: _, ...session } = payload
        this.#byId.set(session.id, this.#known(session))
        this.#total++
        this.#paged++
        return this.#changed()
      }
      case 'session:updated': {
        const known = this.#byId.get(payload.session_id)
        if (known === undefined) {
          if (this.#isLoaded) this.#add(payload.session_id).catch(() => undefined)
          return
        }
        const { session_id: _, ...changes } = payload
        this.#byId.set(known.id, { ...known, ...changes })
        return this.#changed()
      }
      case 'session:deleted':
        if (!this.#byId.delete(payload.session_id)) return
        this.#total--
        this.#paged--
        return this.#changed()
      default:
        return
    }
  }

  #known(session: ListedSession): ListedSession {
    const via = this.#doors.get(session.id)
    const intent = session.intent === '' ? (this.#suggested.get(session.id) ?? '') : session.intent
    return { ...session, intent, ...(via !== undefined && { via }) }
  }

  #changed(): void {
    this.#order = [...this.#byId.values()].toSorted(
      (a, b) => Number(b.is_pinned) - Number(a.is_pinned) || b.updated_at.localeCompare(a.updated_at),
    )
    this.#notifier.changed(LIST_KEY)
  }
}
