import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { percentile } from '../streams/support/measure-delay.ts'
import { readMetric } from '../streams/support/read-metric.ts'
import { eventually } from '../support/eventually.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { findMistakes, openAudience } from './audience.ts'
import { measureDelays } from './measure-delays.ts'
import type { ReadingManner } from './raw-socket.ts'

const CONFIG = fileURLToPath(new URL('../streams/support/flood.config.ts', import.meta.url))
const MEBIBYTE = 1024 * 1024
const WATCHERS = 1_000
const OF_EACH_KIND = 200
const EVENTS = 50_000
/** Larger than what the kernel takes for a reader that does not read, and what we keep for it. */
const FILLING = { events: 20, bytes: 2_048, perSecond: 50 }
const FILLING_TURNS = 100
const REST = { events: 2_000, bytes: 100, perSecond: 1_000 }
const GROWTH = 300 * MEBIBYTE
const ALONE_MS = 20_000

const times = (count: number, manner: ReadingManner): readonly ReadingManner[] =>
  Array.from({ length: count }, () => manner)

it('a thousand watchers of one session all receive the same events', async () => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG] })
  const audience = await openAudience(server, times(WATCHERS - 1, 'all'))
  await audience.flood({ events: 1_000, bytes: 40, perSecond: 100 })
  const turns = await audience.messages()
  const [first, ...others] = audience.sockets
  if (first === undefined) throw new Error('somebody watches')
  const complaints: string[] = []
  for (const socket of others) {
    await eventually(async () => (socket.told.length >= first.told.length ? true : undefined), 'everybody was told')
    complaints.push(...findMistakes(socket, first, turns))
  }
  audience.close()
  await server.stop()
  await dir.remove()
  tellProof({
    id: 'sockets',
    what: `watchers of one session over Socket.IO, ${first.told.length} events each: all received the same, which folds to the state of the session`,
    count: WATCHERS,
    failures: complaints.length,
    seed: '–',
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
})

it('600 sockets that do not read cost neither memory nor time', async () => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG] })
  const resident = (): Promise<number> => readMetric(server, 'process_resident_memory_bytes')
  const open = (): Promise<number> => readMetric(server, 'polylogue_open_streams')
  const alone = percentile(await measureDelays(server, delay(ALONE_MS)), 0.99)
  const base = await resident()

  const manners = [...times(OF_EACH_KIND, 'none'), ...times(OF_EACH_KIND, 'slow'), ...times(OF_EACH_KIND, 'mute')]
  const audience = await openAudience(server, manners)
  const over = Promise.withResolvers<void>()
  const amid = measureDelays(server, over.promise)
  let peak = base
  for (let turn = 0; turn < FILLING_TURNS; turn++) await audience.flood(FILLING)
  for (let left = EVENTS - FILLING_TURNS * FILLING.events; left > 0; left -= REST.events) {
    await audience.flood({ ...REST, events: Math.min(left, REST.events) })
    peak = Math.max(peak, await resident())
  }
  over.resolve()
  const other = percentile(await amid, 0.99)
  const stillOpen = await eventually(async () => ((await open()) === 1 ? 1 : undefined), 'all are let go').catch(open)
  const [first] = audience.sockets
  const turns = await audience.messages()
  const grown = peak - base
  const complaints = [
    ...(stillOpen === 1 ? [] : [`${stillOpen - 1} sockets stay open`]),
    ...(first === undefined ? [] : findMistakes(first, first, turns)),
    ...(grown <= GROWTH ? [] : [`memory grew by ${Math.round(grown / MEBIBYTE)} MiB`]),
    ...(other <= alone * 1.2 ? [] : [`p99 went from ${alone} to ${other} ms`]),
  ]
  audience.close()
  await server.stop()
  await dir.remove()
  tellProof({
    id: 'F10',
    what: `sockets that read nothing, 100 B/s, or answer no ping, over ${EVENTS.toLocaleString('en')} events: all disconnected; memory +${Math.round(grown / MEBIBYTE)} MiB at most; p99 of another client ${alone.toFixed(1)} ms alone, ${other.toFixed(1)} ms beside them`,
    count: manners.length,
    failures: complaints.length,
    seed: '–',
    seconds: seconds(),
    complaints,
  })
  expect(complaints).toEqual([])
})
