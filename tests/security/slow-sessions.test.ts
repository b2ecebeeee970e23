import { expect, it } from 'vitest'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { readSlowly } from './slow-sessions.ts'

const MEBIBYTE = 1024 * 1024

it('40 clients that ask for a large session and do not read hold little of it, at every door', async () => {
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path })
  try {
    // 11 MiB: held as a whole for each reader, it would be 440.
    const results = await readSlowly(server, { turns: 6, readers: 40, holdMs: 300 })
    const large = results.filter(({ grownBytes }) => grownBytes > 220 * MEBIBYTE)
    expect(large).toEqual([])
  } finally {
    await server.kill()
    await dir.remove()
  }
}, 120_000)
