import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { sleepThroughTurn } from './sleeping-client.ts'
import { readMetric } from './support/read-metric.ts'

let dir: TempDir
let server: ServerProcess

beforeAll(async () => {
  dir = await createTempDir()
  server = await startServerProcess({ dataDir: dir.path })
})

afterAll(async () => {
  await server.stop()
  await dir.remove()
})

describe('a client that falls asleep', () => {
  it('finds a short answer when it wakes', async () => {
    const over = (): Promise<void> =>
      eventually(
        async () => ((await readMetric(server, 'polylogue_running_turns')) === 0 ? true : undefined),
        'rest',
      ).then(() => undefined)
    const { connections, told, stored } = await sleepThroughTurn(server, 'say good morning', over)
    expect(connections).toBe(1)
    expect(told).toEqual(stored)
  })

  it('is disconnected when too much waits for it, and resumes where it was', { timeout: 60_000 }, async () => {
    const dropped = (): Promise<number> => readMetric(server, 'polylogue_readers_dropped_total')
    const before = await dropped()
    const isDropped = async (): Promise<true | undefined> => ((await dropped()) > before ? true : undefined)
    const { connections, told, stored } = await sleepThroughTurn(server, 'tokens 100000', async () => {
      await eventually(isDropped, 'the server gives up on the reader')
    })
    expect(connections).toBeGreaterThan(1)
    expect(told).toEqual(stored)
    expect(told[1]).toEqual({ event: 'text_delta', delta: 'x '.repeat(100_000) })
  })
})
