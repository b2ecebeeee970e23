import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { LARGE_ANSWERS, readSlowly } from './slow-sessions.ts'

const MEBIBYTE = 1024 * 1024
const MOST_GROWTH = 400 * MEBIBYTE
const READERS = 40

it('S26: 40 slow readers of a session of 100 MB hold little of it, at every door', async () => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path })
  try {
    const results = await readSlowly(server, { turns: 56, readers: READERS, holdMs: 5000 })
    const faults = results.filter(({ grownBytes }) => grownBytes > MOST_GROWTH)
    const most = Math.max(...results.map(({ grownBytes }) => grownBytes))
    tellProof({
      id: 'S26',
      what: `requests for a session of 100 MB by clients that read nothing, ${READERS} at a time on each of ${LARGE_ANSWERS.length} routes: memory +${Math.round(most / MEBIBYTE)} MiB at most`,
      count: READERS * LARGE_ANSWERS.length,
      failures: faults.length,
      seed: '–',
      seconds: seconds(),
      complaints: faults.map((fault) => JSON.stringify(fault)),
    })
    expect(faults).toEqual([])
  } finally {
    await server.kill()
    await dir.remove()
  }
})
