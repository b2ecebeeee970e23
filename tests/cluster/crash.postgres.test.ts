import { beforeAll, expect, it } from 'vitest'
import { countHits, type CrashPoint } from '../crash/crash-cycle.ts'
import { playCycles } from '../proof/play-cycles.ts'
import { useDatabases } from '../support/databases.ts'
import { createTestDatabase } from '../support/test-database.ts'

/** `npm run proof -- F1` kills at every hit of every failpoint. */
const POINTS: readonly CrashPoint[] = [
  { name: 'migrate', hit: 3 },
  { name: 'append.before', hit: 9 },
  { name: 'tool.after-run', hit: 3 },
  { name: 'publish.after', hit: 15 },
]

let hits: ReadonlyMap<string, number>

beforeAll(async () => {
  useDatabases(createTestDatabase)
  hits = await countHits()
})

it('cluster 7, 18: a server on Postgres is killed at a failpoint, and its successor keeps every promise', async () => {
  expect(POINTS.filter(({ name, hit }) => (hits.get(name) ?? 0) < hit)).toEqual([])
  const { reached, complaints } = await playCycles(POINTS.map((point) => [point]))
  expect(complaints).toEqual([])
  expect(reached).toBeGreaterThanOrEqual(POINTS.length / 2)
}, 240_000)
