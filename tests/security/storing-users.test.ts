import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { storeWhileOneWorks } from './storing-users.ts'

const MEBIBYTE = 1024 * 1024
/** Other tests run on this machine. Where bodies are taken all at once, it is several times as long. */
const NOISE_MS = 3_000

it('ten users who store to their limits do not stop another one, and memory stays bounded', async () => {
  const dir = await createTempDir()
  const limits = { sessionBytes: 8 * MEBIBYTE, userBytes: 8 * MEBIBYTE }
  await writeFile(join(dir.path, 'polylogue.config.json'), JSON.stringify({ limits }))
  const server = await startServerProcess({ dataDir: dir.path })
  try {
    const storing = { users: 10, atOnce: 2, bytes: 3_500_000, rounds: 2, phaseMs: 1500 }
    const { quiet, amid, answers, residentBytes } = await storeWhileOneWorks(server, storing)
    expect(Object.keys(answers).filter((status) => status !== '201' && status !== '507')).toEqual([])
    expect(answers['201']).toBeGreaterThan(0)
    expect(amid.p99).toBeLessThan(2 * quiet.p99 + NOISE_MS)
    expect((residentBytes.peak - residentBytes.before) / MEBIBYTE).toBeLessThan(800)
  } finally {
    await server.kill()
    await dir.remove()
  }
}, 120_000)
