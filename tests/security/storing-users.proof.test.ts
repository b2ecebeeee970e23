import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { storeWhileOneWorks } from './storing-users.ts'

const MEBIBYTE = 1024 * 1024
/** A turn can meet one large body that is being written. */
const ONE_BODY_MS = 150
const MOST_MEMORY = 800 * MEBIBYTE

it('S26: ten users who store to their limits at most double the p99 of another user', async () => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  const limits = { sessionBytes: 32 * MEBIBYTE, userBytes: 32 * MEBIBYTE }
  await writeFile(join(dir.path, 'polylogue.config.json'), JSON.stringify({ limits }))
  const server = await startServerProcess({ dataDir: dir.path })
  try {
    const storing = { users: 10, atOnce: 4, bytes: 3_500_000, rounds: 10, phaseMs: 5000 }
    const { quiet, amid, answers, residentBytes } = await storeWhileOneWorks(server, storing)
    const grown = residentBytes.peak - residentBytes.before
    const faults = [
      ...(amid.p99 <= Math.max(2 * quiet.p99, quiet.p99 + ONE_BODY_MS) ? [] : [`p99 ${quiet.p99} → ${amid.p99} ms`]),
      ...(grown <= MOST_MEMORY ? [] : [`memory grew by ${Math.round(grown / MEBIBYTE)} MiB`]),
      ...((answers['507'] ?? 0) > 0 ? [] : ['no limit was reached']),
    ]
    tellProof({
      id: 'S26',
      what:
        `turns of one user while ten others store 3.5 MB at a time, 40 requests at once, until their limits refuse it ` +
        `(${JSON.stringify(answers)}): p99 ${quiet.p99} ms alone, ${amid.p99} ms amid; memory +${Math.round(grown / MEBIBYTE)} MiB`,
      count: amid.count,
      failures: faults.length,
      seed: '–',
      seconds: seconds(),
      complaints: faults,
    })
    expect(faults).toEqual([])
  } finally {
    await server.kill()
    await dir.remove()
  }
})
