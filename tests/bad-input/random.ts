import { createHash } from 'node:crypto'

/** The same seed and index give the same choices on every machine, so that one input can be made again alone. */
export interface Random {
  /** From 0 to `below` - 1. */
  int(below: number): number
  pick<T>(list: readonly T[]): T
  chance(probability: number): boolean
  /** Printable ASCII without spaces. */
  word(length: number): string
}

export function createRandom(seed: string, index: number): Random {
  const next = createGenerator(createHash('sha256').update(`${seed}/${index}`).digest())
  const int = (below: number): number => Math.floor((next() / 2 ** 32) * below)
  return {
    int,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('there is nothing to pick from')
      return list[int(list.length)] as T
    },
    chance: (probability) => next() / 2 ** 32 < probability,
    word: (length) => Array.from({ length }, () => String.fromCharCode(33 + int(94))).join(''),
  }
}

/** sfc32: small, fast, and good enough to choose tests with. */
function createGenerator(seed: Buffer): () => number {
  let a = seed.readUInt32LE(0)
  let b = seed.readUInt32LE(4)
  let c = seed.readUInt32LE(8)
  let counter = 1
  return () => {
    const sum = (a + b + counter) >>> 0
    counter = (counter + 1) >>> 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) >>> 0
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0
    return sum
  }
}
