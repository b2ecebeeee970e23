/**
 * Messages that were sent and are not yet seen in a session. They are in local storage before they are sent, so that a
 * lost connection or a reload loses none. The server knows a repeated message by its id and runs it once.
 */
import { isObject } from './http.ts'
import type { KeptTexts } from './storage.ts'

export type OutgoingState =
  /** Not acknowledged. It is sent again after a reconnect or a reload. */
  'sending' | 'accepted' | 'refused'

export interface SentFile {
  readonly type: 'image' | 'file'
  readonly name: string
  /** A data URL for an image, base64 for a file. */
  readonly content: string
}

export interface Outgoing {
  readonly id: string
  readonly sessionId: string
  readonly text: string
  readonly files?: readonly SentFile[]
  readonly state: OutgoingState
  readonly problem?: string
  /** The highest row of the session when the message was written. Its own row comes later. */
  readonly after: number
}

/** One name for each message: tabs that send at the same time keep each other's. */
const PREFIX = 'polylogue.outbox.'
/** Larger files stay in memory: local storage has five megabytes. */
const STORED_CHARACTERS = 1_000_000

export class Outbox {
  readonly #storage: KeptTexts
  #items: readonly Outgoing[]

  constructor(storage: KeptTexts) {
    this.#storage = storage
    // Their ids begin with the time.
    this.#items = storage
      .names(PREFIX)
      .toSorted()
      .flatMap((name) => read(storage.getItem(name)))
  }

  get all(): readonly Outgoing[] {
    return this.#items
  }

  of(sessionId: string): readonly Outgoing[] {
    return this.#items.filter((item) => item.sessionId === sessionId)
  }

  put(item: Outgoing): void {
    this.#items = [...this.#items, item]
    this.#keep(item)
  }

  change(id: string, changes: Partial<Outgoing>): void {
    this.#items = this.#items.map((item) => (item.id === id ? { ...item, ...changes } : item))
    for (const item of this.#items) if (item.id === id) this.#keep(item)
  }

  remove(id: string): void {
    this.#items = this.#items.filter((item) => item.id !== id)
    this.#storage.removeItem(PREFIX + id)
  }

  #keep(item: Outgoing): void {
    const { id, files = [] } = item
    if (files.reduce((sum, { content }) => sum + content.length, 0) > STORED_CHARACTERS) return
    this.#storage.setItem(PREFIX + id, JSON.stringify(item))
  }
}

function read(text: string | null): readonly Outgoing[] {
  try {
    const stored: unknown = JSON.parse(text ?? '')
    return isOutgoing(stored) ? [stored] : []
  } catch {
    return []
  }
}

function isOutgoing(value: unknown): value is Outgoing {
  if (!isObject(value)) return false
  const { id, sessionId, text, state, after } = value
  return (
    typeof id === 'string' &&
    typeof sessionId === 'string' &&
    typeof text === 'string' &&
    typeof state === 'string' &&
    typeof after === 'number'
  )
}
