import { expect, it } from 'vitest'
import { proofSize, startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { readLargeSession } from './large-session.ts'

const LONGEST_STOP_MS = 250
const READERS = 8

it('S26: readers of the largest session stop the event loop for at most 250 ms, at every door', async () => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  try {
    const results = await readLargeSession({ dataDir: dir.path, turns: proofSize(200), readers: READERS })
    const faults = results.filter(({ mostMs }) => mostMs > LONGEST_STOP_MS)
    const most = Math.max(...results.map(({ mostMs }) => mostMs))
    tellProof({
      id: 'S26',
      what: `requests for a session of 128 MiB, ${READERS} at a time on each of ${results.length} routes: the event loop stopped for ${most} ms of CPU at most`,
      count: READERS * results.length,
      failures: faults.length,
      seed: '–',
      seconds: seconds(),
      complaints: faults.map((fault) => JSON.stringify(fault)),
    })
    console.info(`the event loop stopped for ${most} ms of CPU at most`)
    expect(faults).toEqual([])
  } finally {
    await dir.remove()
  }
})
