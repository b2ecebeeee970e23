import { ALL_NODES, type Clock, type LimitCount, type LiveBus, type Timer } from '@polylogue/engine'
import type { RateLimit } from './rate-limit.ts'

/** What a limit counts at a time, by name. */
export interface OpenCounts {
  /** Those that others must know. */
  list(): Iterable<readonly [name: string, count: number]>
  /** The counts of other nodes have changed. */
  changed?(): void
}

/** What was counted at once, such as a wrong key. */
export interface Chargeable {
  /** Counts what happened on another node. */
  charge(name: string, count: number): void
}

const TELL_MS = 1_000
/** A node that is silent for so long has nothing open, or is gone. */
const FORGET_MS = 3_000
/** A message holds no more names of each kind. */
const MOST_NAMES = 1_000

/**
 * Makes limits hold for all nodes together. Nodes tell each other once a second what they count, so that a client may exceed a
 * limit by what it does within a second. While the bus is down, each node counts for itself.
 */
export class SharedCounts {
  readonly #bus: LiveBus
  readonly #clock: Clock
  readonly #rates = new Map<string, Chargeable>()
  readonly #opens = new Map<string, OpenCounts>()
  readonly #taken = new Map<string, { readonly limit: string; readonly name: string; count: number }>()
  readonly #elsewhere = new Map<string, { readonly heardAt: number; readonly counts: ReadonlyMap<string, number> }>()
  #timer: Timer | undefined
  #hasToldOpen = false

  constructor(bus: LiveBus, clock: Clock) {
    this.#bus = bus
    this.#clock = clock
    bus.onMessage((from, message) => {
      if (message.type === 'counts') this.#hear(from, message)
    })
    this.#schedule()
  }

  /** The same rate, which also counts what other nodes let pass. */
  share(limit: string, rate: RateLimit): RateLimit {
    this.#rates.set(limit, rate)
    return {
      ...rate,
      take: (name) => {
        const waitS = rate.take(name)
        if (waitS === 0) this.took(limit, name)
        return waitS
      },
    }
  }

  /** Tells others of what happens here, and this limit of what happens there. */
  onTaken(limit: string, counted: Chargeable): void {
    this.#rates.set(limit, counted)
  }

  took(limit: string, name: string): void {
    const key = keyOf(limit, name)
    const known = this.#taken.get(key)
    if (known !== undefined) known.count += 1
    else if (this.#taken.size < MOST_NAMES) this.#taken.set(key, { limit, name, count: 1 })
  }

  onOpen(limit: string, counts: OpenCounts): void {
    this.#opens.set(limit, counts)
  }

  /** How many the other nodes have open. */
  elsewhere(limit: string, name: string): number {
    const since = this.#clock.now() - FORGET_MS
    let sum = 0
    for (const { heardAt, counts } of this.#elsewhere.values()) {
      if (heardAt >= since) sum += counts.get(keyOf(limit, name)) ?? 0
    }
    return sum
  }

  close(): void {
    this.#timer?.cancel()
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(TELL_MS, () => {
      this.#tell()
      this.#schedule()
    })
  }

  #tell(): void {
    const taken = [...this.#taken.values()].map(({ limit, name, count }): LimitCount => [limit, name, count])
    this.#taken.clear()
    const open = [...this.#opens]
      .flatMap(([limit, counts]) => [...counts.list()].map(([name, count]): LimitCount => [limit, name, count]))
      .slice(0, MOST_NAMES)
    // Nodes that have nothing to tell are silent, after they have told that.
    if (taken.length === 0 && open.length === 0 && !this.#hasToldOpen) return
    this.#hasToldOpen = open.length > 0
    this.#bus.send(ALL_NODES, { type: 'counts', taken, open })
  }

  #hear(
    from: string,
    { taken, open }: { readonly taken: readonly LimitCount[]; readonly open: readonly LimitCount[] },
  ): void {
    for (const [limit, name, count] of taken) this.#rates.get(limit)?.charge(name, count)
    const heardAt = this.#clock.now()
    for (const [nodeId, node] of this.#elsewhere) if (node.heardAt < heardAt - FORGET_MS) this.#elsewhere.delete(nodeId)
    if (open.length === 0) this.#elsewhere.delete(from)
    else
      this.#elsewhere.set(from, {
        heardAt,
        counts: new Map(open.map(([limit, name, count]) => [keyOf(limit, name), count])),
      })
    for (const { changed } of this.#opens.values()) changed?.()
  }
}

const keyOf = (limit: string, name: string): string => `${limit} ${name}`
