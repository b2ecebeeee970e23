/**
 * Messages that were sent and are not yet seen in a session. They are in local storage before they are sent, so that a
 * lost connection or a reload loses none. The server knows a repeated message by its id and runs it once.
 */
import { isObject } from './http.ts'

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

const KEY = 'polylogue.outbox'
/** Larger files stay in memory: local storage has five megabytes. */
const STORED_CHARACTERS = 1_000_000

export class Outbox {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>
  #items: readonly Outgoing[]

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>) {
    this.#storage = storage
    this.#items = read(storage)
  }

  get all(): readonly Outgoing[] {
    return this.#items
  }

  of(sessionId: string): readonly Outgoing[] {
    return this.#items.filter((item) => item.sessionId === sessionId)
  }

  put(item: Outgoing): void {
    const isKnown = this.#items.some(({ id }) => id === item.id)
    this.#items = isKnown ? this.#items.map((one) => (one.id === item.id ? item : one)) : [...this.#items, item]
    this.#save()
  }

  change(id: string, changes: Partial<Outgoing>): void {
    this.#items = this.#items.map((item) => (item.id === id ? { ...item, ...changes } : item))
    this.#save()
  }

  remove(id: string): void {
    this.#items = this.#items.filter((item) => item.id !== id)
    this.#save()
  }

  #save(): void {
    const small = this.#items.filter(
      ({ files = [] }) => files.reduce((sum, { content }) => sum + content.length, 0) < STORED_CHARACTERS,
    )
    try {
      this.#storage.setItem(KEY, JSON.stringify(small))
    } catch {
      // Full storage: the message is still sent, and only a reload before its acknowledgement would lose it.
      return
    }
  }
}

function read(storage: Pick<Storage, 'getItem'>): readonly Outgoing[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isOutgoing) : []
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
