import type { CrashPoint } from './crash-cycle.ts'

/** Picks `count` different points, the same for the same seed: at least one of every name, then any others. */
export function samplePoints(hits: ReadonlyMap<string, number>, count: number, seed: number): readonly CrashPoint[] {
  const random = createRandom(seed)
  const names = [...hits.keys()].toSorted()
  const everyPoint = names.flatMap((name) =>
    Array.from({ length: hits.get(name) ?? 0 }, (_, index): CrashPoint => ({ name, hit: index + 1 })),
  )
  const shuffled = everyPoint
    .map((point) => ({ point, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ point }) => point)
  const oneEach = names.flatMap((name) => shuffled.find((point) => point.name === name) ?? [])
  const others = shuffled.filter((point) => !oneEach.includes(point))
  return [...oneEach, ...others].slice(0, count)
}

/** mulberry32: small and deterministic. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
