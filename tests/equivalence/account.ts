/** What a door sent about a session, independent of its protocol. */
export type Item =
  | { readonly user: string; readonly images?: readonly string[] }
  | { readonly thinking: string }
  | { readonly text: string }
  | { readonly call: string; readonly name: string; readonly input: unknown }
  | { readonly result: string; readonly content: string }

/** The state of the last turn. */
export type State = 'running' | 'waiting' | 'finished' | 'token-limit' | 'cancelled' | 'failed'

export interface Account {
  readonly items: readonly Item[]
  /** Absent where the door does not report it. */
  readonly state?: State
}

/** Collects an account piece by piece, as the wire brings it. */
export class AccountBuilder {
  readonly #items: Item[] = []
  state: State | undefined

  user(user: string, images: readonly string[] = []): void {
    const last = this.#items.at(-1)
    if (last && 'user' in last) {
      this.#items[this.#items.length - 1] = toUser(last.user + user, [...(last.images ?? []), ...images])
    } else this.#items.push(toUser(user, images))
  }

  /** Deltas of one block, and blocks of one kind that follow each other, are one item. */
  say(kind: 'text' | 'thinking', words: string): void {
    if (words === '') return
    const last = this.#items.at(-1)
    const before = last && kind in last ? String((last as Record<string, unknown>)[kind]) : undefined
    if (before !== undefined) this.#items.pop()
    this.#items.push(kind === 'text' ? { text: (before ?? '') + words } : { thinking: (before ?? '') + words })
  }

  /** A repeated call takes the newest name and input. */
  call(id: string, { name, input }: { readonly name?: string; readonly input?: unknown }): void {
    const at = this.#items.findIndex((item) => 'call' in item && item.call === id)
    const before = at === -1 ? { name: '', input: {} } : (this.#items[at] as { name: string; input: unknown })
    const call = { call: id, name: name ?? before.name, input: input ?? before.input }
    if (at === -1) this.#items.push(call)
    else this.#items[at] = call
  }

  result(id: string, content: string): void {
    this.#items.push({ result: id, content })
  }

  toAccount(): Account {
    const items = inCallOrder(this.#items)
    return this.state === undefined ? { items } : { items, state: this.state }
  }
}

const toUser = (user: string, images: readonly string[]): Item =>
  images.length === 0 ? { user } : { user, images: [...images] }

/** The order in which parallel calls end is not promised: results that follow each other are put in the order of their calls. */
function inCallOrder(items: readonly Item[]): readonly Item[] {
  const places = new Map(items.flatMap((item, at) => ('call' in item ? [[item.call, at] as const] : [])))
  const place = (item: Item): number => ('result' in item ? (places.get(item.result) ?? -1) : -1)
  const ordered: Item[] = []
  let results: Item[] = []
  const flush = (): void => {
    ordered.push(...results.sort((a, b) => place(a) - place(b)))
    results = []
  }
  for (const item of items) {
    if ('result' in item) results.push(item)
    else {
      flush()
      ordered.push(item)
    }
  }
  flush()
  return ordered
}
