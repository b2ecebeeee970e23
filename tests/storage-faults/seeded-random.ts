import { createHash } from 'node:crypto'

/** The same seed gives the same choices on every machine. */
export interface SeededRandom {
  /** From 0 to `below` - 1. */
  int(below: number): number
  pick<T>(list: readonly T[]): T
}

export function createSeededRandom(seed: string): SeededRandom {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (below: number): number => Math.floor(next() * below)
  return {
    int,
    pick<T>(list: readonly T[]): T {
      const item = list[int(list.length)]
      if (item === undefined) throw new Error('there is nothing to pick from')
      return item
    },
  }
}
