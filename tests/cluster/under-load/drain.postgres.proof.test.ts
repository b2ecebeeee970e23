import { afterAll, expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../../storage-faults/proof-result.ts'
import { drain } from '../../streams/drain.ts'
import { dropDatabases, useDatabases } from '../../support/databases.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { restartNodes } from './restart-nodes.ts'

const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'
const store = 'postgres'

useDatabases(createTestDatabase)
afterAll(dropDatabases)

it('cluster 30: F13: a node with many turns and streams is told to stop', async () => {
  const seconds = startStopwatch()
  const complaints: string[] = []
  const turns = proofSize(200)
  let longestMs = 0
  const plans = [undefined, 1_000].map((secondAfterMs) => secondAfterMs !== undefined && { secondAfterMs })
  for (const second of plans) {
    const plan = { turns, streams: turns * 10, restMs: [500, 8_000], seed: SEED, ...second } as const
    const result = await drain(plan)
    longestMs = Math.max(longestMs, result.exitMs)
    complaints.push(...result.complaints)
    if (result.exitCode !== 0) complaints.push(`the server exited with ${result.exitCode}`)
  }
  tellProof({
    id: 'F13',
    what: `running turns with ten streams each when the node gets SIGTERM, once or twice: none lost, none run twice, exit 0 after ${(longestMs / 1000).toFixed(1)} s at most, and the next node goes on`,
    count: turns * plans.length,
    ...{ store, failures: complaints.length, complaints, seed: SEED, seconds: seconds() },
  })
  expect(complaints).toEqual([])
})

it('cluster 32: F13: two nodes are restarted in turn under load', async () => {
  const seconds = startStopwatch()
  const restarts = proofSize(100)
  const { turns, complaints } = await restartNodes(restarts)
  tellProof({
    id: 'F13',
    what: `two nodes are stopped and started in turn while clients work at both (${turns} turns): none lost, none run twice, exit 0, I1–I9 hold`,
    ...{ store, count: restarts, failures: complaints.length, complaints, seed: '–', seconds: seconds() },
  })
  expect(complaints).toEqual([])
})
