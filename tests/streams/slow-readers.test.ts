import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { sendWave } from './slow-readers.ts'

const CONFIG = fileURLToPath(new URL('support/flood.config.ts', import.meta.url))
const MEBIBYTE = 1024 * 1024
const NOBODY = { silent: 0, slow: 0, gone: 0 }
const SOME = { silent: 20, slow: 20, gone: 20 }
/** Other tests run at the same time on this machine. */
const NOISE_MS = 200

let dir: TempDir
let server: ServerProcess

beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG] })
})

afterAll(async () => {
  await server.stop()
  await dir.remove()
})

describe('readers that do not read, hardly read, or have left unnoticed', () => {
  it('are disconnected; memory stays bounded, and active readers are not affected', { timeout: 60_000 }, async () => {
    const alone = await sendWave(server, { readers: NOBODY, events: 1000, perSecond: 300 })
    const amid = await sendWave(server, { readers: SOME, events: 5000, perSecond: 300 })
    expect(alone).toMatchObject({ missing: 0, dropped: 0 })
    expect(amid).toMatchObject({ missing: 0, dropped: 60, openStreamsBefore: 0, openStreamsAfter: 0 })
    const { before, peak } = amid.residentBytes
    // 50 to 60 on an idle machine; twice that where the garbage waits for a processor. Kept for all readers it would be hundreds.
    expect((peak - before) / MEBIBYTE).toBeLessThan(200)
    expect(amid.p99).toBeLessThan(alone.p99 * 1.2 + NOISE_MS)
  })
})
