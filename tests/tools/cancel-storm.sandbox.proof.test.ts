import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { cancelTurns, percentile } from './cancel-storm.ts'
import { DEAD_WITHIN_MS } from './processes.ts'

const VISIBLE_WITHIN_MS = 250
const STORMS = [
  { sandbox: 'none', cancels: 700, where: 'without a sandbox' },
  { sandbox: 'required', cancels: 300, where: 'in bubblewrap' },
] as const

it.each(STORMS)('F12: $cancels cancelled turns, $where', async ({ sandbox, cancels, where }) => {
  const seconds = startStopwatch()
  const result = await cancelTurns({ sandbox, cancels, beside: 2, goneWithinMs: DEAD_WITHIN_MS })
  const p99 = Math.round(percentile(result.visibleMs, 0.99))
  const complaints = [
    ...result.complaints,
    ...(p99 > VISIBLE_WITHIN_MS ? [`cancelled was visible after ${p99} ms (p99)`] : []),
  ]
  tellProof({
    id: 'F12',
    what: `turns with running commands cancelled over AAP, ${where}, over ${Object.keys(result.perShape).length} shapes of process trees: no process left after 2 s, nothing written after the end, clients saw the cancel after ${p99} ms (p99)`,
    count: cancels,
    failures: complaints.length,
    complaints,
    seed: '–',
    seconds: seconds(),
  })
  expect(complaints).toEqual([])
})
