import { beforeAll, describe, expect, it } from 'vitest'
import { countHits, playThroughCrash, type CrashPoint } from './crash-cycle.ts'
import { FAILPOINT_NAMES } from './failpoint-names.ts'
import { samplePoints } from './sample-points.ts'

const SEED = Number(process.env['POLYLOGUE_CRASH_SEED'] ?? 20_260_101)
/** One point for each failpoint. `npm run proof -- F1` kills at every hit of every failpoint. */
const POINTS = FAILPOINT_NAMES.length
const SHARDS = 4
/** Cycles that run at the same time, because a cycle mostly waits. */
const LANES = 2

/** Points at which the second server is killed while it recovers. `npm run proof -- F3` has 300 of them. */
const DURING_RECOVERY: readonly CrashPoint[] = [
  { name: 'claim.after-commit', hit: 1 },
  { name: 'append.before', hit: 1 },
  { name: 'append.after-commit', hit: 1 },
  { name: 'publish.after', hit: 1 },
]

let hits: ReadonlyMap<string, number>
let points: readonly CrashPoint[]
const reached: CrashPoint[] = []

beforeAll(async () => {
  hits = await countHits()
  points = samplePoints(hits, POINTS, SEED)
})

/** Returns the broken promises, each with its points. */
async function playAll(cycles: readonly (readonly CrashPoint[])[]): Promise<readonly string[]> {
  const waiting = [...cycles]
  const complaints: string[] = []
  const work = async (): Promise<void> => {
    for (let cycle = waiting.shift(); cycle !== undefined; cycle = waiting.shift()) {
      const where = cycle.map(({ name, hit }) => `${name}@${hit}`).join(', then ')
      try {
        const result = await playThroughCrash(...cycle)
        if (result.wasReached) reached.push(...cycle)
        complaints.push(...result.complaints.map((complaint) => `${where}: ${complaint}`))
      } catch (error) {
        complaints.push(`${where}: ${String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, work))
  return complaints
}

describe(`a server that is killed with -9 (seed ${SEED})`, () => {
  it('passes every named point while the script is played', () => {
    expect([...hits.keys()].toSorted()).toEqual(FAILPOINT_NAMES)
  })

  it.each(Array.from({ length: SHARDS }, (_, shard) => shard))(
    'keeps every promise, and its successor finishes the script (sample %i)',
    async (shard) => {
      const size = Math.ceil(POINTS / SHARDS)
      const sample = points.slice(shard * size, (shard + 1) * size)
      expect(await playAll(sample.map((point) => [point]))).toEqual([])
    },
    120_000,
  )

  it('nearly always dies at the chosen point: how often a point is passed depends slightly on timing', () => {
    expect(reached.length).toBeGreaterThan(POINTS * 0.8)
  })

  it('recovers as well when it is killed again while it recovers', async () => {
    const midTurn = points.filter(({ name }) => name.startsWith('tool.') || name.startsWith('publish.'))
    const cycles = DURING_RECOVERY.map((second, index) => [midTurn[index % midTurn.length] ?? second, second])
    expect(await playAll(cycles)).toEqual([])
  }, 120_000)
})
