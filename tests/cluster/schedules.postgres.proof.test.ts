import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { LATE_MS, fireSchedules } from './support/fire-schedules.ts'

const PER_SECOND = 20
const KILLS = 6

it('cluster 33: F15: 10,000 schedules on three nodes that are killed', async () => {
  const seconds = startStopwatch()
  const [schedules, kills] = [proofSize(10_000), proofSize(KILLS)]
  const {
    p99Ms,
    complaints,
    late: lateSlots,
  } = await fireSchedules({ schedules, kills, overMs: (schedules / PER_SECOND) * 1_000 })
  const late = p99Ms > LATE_MS ? [`p99 is ${p99Ms} ms; late slots: ${lateSlots}`] : []
  const all = [...complaints, ...late]
  tellProof({
    id: 'F15',
    what: `schedules of three server processes, of which two were killed ${kills} times: one outcome and one run each, decided after ${p99Ms} ms (p99)`,
    ...{ store: 'postgres', count: schedules, failures: all.length, complaints: all, seed: '–', seconds: seconds() },
  })
  expect(all).toEqual([])
})
