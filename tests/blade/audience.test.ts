import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readMetric } from '../streams/support/read-metric.ts'
import { eventually } from '../support/eventually.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type TempDir, createTempDir } from '../support/temp-dir.ts'
import { findMistakes, openAudience } from './audience.ts'

const CONFIG = fileURLToPath(new URL('../streams/support/flood.config.ts', import.meta.url))
const READERS = 50

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

it('many watchers of a session are all told the same, and all of it', async () => {
  const audience = await openAudience(
    server,
    Array.from({ length: READERS }, () => 'all'),
  )
  await audience.flood({ events: 100, bytes: 40, perSecond: 100 })
  const turns = await audience.messages()
  const [first, ...others] = audience.sockets
  if (first === undefined) throw new Error('somebody watches')
  for (const socket of others) {
    await eventually(async () => (socket.told.length >= first.told.length ? true : undefined), 'everybody was told')
    expect(findMistakes(socket, first, turns)).toEqual([])
  }
  audience.close()
})

it('watchers that do not read are let go, and leave nothing open', async () => {
  const before = await readMetric(server, 'polylogue_readers_dropped_total')
  const audience = await openAudience(server, ['none', 'slow', 'none'])
  for (let turn = 0; turn < 6; turn++) await audience.flood({ events: 80, bytes: 20_000, perSecond: 800 })
  const dropped = async () => (await readMetric(server, 'polylogue_readers_dropped_total')) - before
  await eventually(async () => ((await dropped()) === 3 ? true : undefined), 'three were let go')
  const turns = await audience.messages()
  const [first] = audience.sockets
  if (first === undefined) throw new Error('somebody watches')
  expect(findMistakes(first, first, turns)).toEqual([])
  audience.close()
  const open = () => readMetric(server, 'polylogue_open_streams')
  await eventually(async () => ((await open()) === 0 ? true : undefined), 'nothing stays open')
})
