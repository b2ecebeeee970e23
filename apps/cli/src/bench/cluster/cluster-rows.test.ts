import { expect, it } from 'vitest'
import { toClusterRows, type ClusterFigures } from './cluster-rows.ts'

const FIGURES: ClusterFigures = {
  raw: { commitP50Ms: 0.8, commitsPerSecond: 5_000, groupedRowsPerSecond: 30_000 },
  stepMs: 6,
  oneNode: 400,
  twoNodes: 600,
  oneDeltas: 60_000,
  twoDeltas: 90_000,
  notify: { perSecond: 50_000, p50Ms: 20, p99Ms: 45 },
  redis: { perSecond: 70_000, p50Ms: 19, p99Ms: 40 },
}

it('cluster 68: the bench has rows for a step, for one and two nodes, for NOTIFY and for Redis, beside the raw database', () => {
  const rows = toClusterRows(FIGURES)
  expect(rows.map(({ name, measured }) => `${name}: ${measured}`)).toEqual([
    'Durable step with a tool on Postgres, one client: p50 6 ms; a raw commit of the same database p50 0.8 ms',
    'Turns, none, one word, one node on Postgres, 32 clients: 400 turns/s; raw database 5000 commits/s, 30000 grouped rows/s',
    'The same on two nodes, 32 clients: 600 turns/s; raw database 5000 commits/s, 30000 grouped rows/s',
    'Deltas to clients of the same node, one node, 32 clients: 60000 deltas/s',
    'The same on two nodes, 32 clients: 90000 deltas/s',
    'Deltas to clients of the other node by NOTIFY: 50000 deltas/s; added latency p50 20 ms, p99 45 ms',
    'Deltas to clients of the other node by Redis: 70000 deltas/s; added latency p50 19 ms, p99 40 ms',
  ])
  const { redis: _, ...withoutRedis } = FIGURES
  expect(toClusterRows(withoutRedis)).toHaveLength(6)
})

it('cluster 68: a step may take 6 ms at the median', () => {
  const judge = (stepMs: number) => toClusterRows({ ...FIGURES, stepMs })[0]
  expect(judge(6)).toMatchObject({ budget: 'p50 ≤ 6 ms', isMet: true, figures: { stepP50Ms: 6 } })
  expect(judge(6.01)).toMatchObject({ isMet: false })
})
