import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startStopwatch, tellProof } from '../storage-faults/proof-result.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { type WaveResult, sendWave } from './slow-readers.ts'

const CONFIG = fileURLToPath(new URL('support/flood.config.ts', import.meta.url))
const MEBIBYTE = 1024 * 1024
const NOBODY = { silent: 0, slow: 0, gone: 0 }
const READERS = { silent: 200, slow: 200, gone: 200 }
const WAVES = 5
/** Of the watched sessions, over all waves. */
const EVENTS = 50_000
/** Writing to 600 readers takes this long; whoever is next waits for it, whether they read or not. */
const FAN_OUT_MS = 15
const GROWTH = 300 * MEBIBYTE
/** Between the waves after the first one. */
const FLAT = 64 * MEBIBYTE

it('600 readers that do not read cost neither memory nor time', async () => {
  const seconds = startStopwatch()
  const dir = await createTempDir()
  const server = await startServerProcess({ dataDir: dir.path, flags: ['--config', CONFIG] })
  const alone = await sendWave(server, { readers: NOBODY, events: 2000, perSecond: 30 })
  const waves: WaveResult[] = []
  for (let wave = 0; wave < WAVES; wave++) {
    waves.push(await sendWave(server, { readers: READERS, events: EVENTS / WAVES, perSecond: 30 }))
  }
  await server.stop()
  await dir.remove()

  const peaks = waves.map(({ residentBytes }) => residentBytes.peak)
  const base = alone.residentBytes.before
  const grown = Math.max(...peaks) - base
  const drift = Math.max(...peaks.slice(1)) - Math.max(...peaks.slice(0, 2))
  const p99 = Math.max(...waves.map((wave) => wave.p99))
  const faults = [
    ...waves.flatMap(({ missing }) => (missing === 0 ? [] : [`a reader that reads missed ${missing} characters`])),
    ...waves.flatMap(({ dropped }) => (dropped === 600 ? [] : [`${dropped} of 600 readers were let go`])),
    ...waves.flatMap(({ openStreamsAfter }) =>
      openStreamsAfter === 0 ? [] : [`${openStreamsAfter} streams stay open`],
    ),
    ...(grown <= GROWTH ? [] : [`memory grew by ${inMebibytes(grown)}`]),
    ...(drift <= FLAT ? [] : [`memory went on growing by ${inMebibytes(drift)}`]),
    ...(p99 <= alone.p99 * 1.2 + FAN_OUT_MS ? [] : [`p99 went from ${alone.p99} to ${p99} ms`]),
  ]
  tellProof({
    id: 'F10',
    what: `streams whose readers read nothing, read 100 B/s, or vanished, over ${EVENTS.toLocaleString('en')} events: all disconnected; memory +${inMebibytes(grown)} at most, then ${inMebibytes(drift)}; p99 of another client ${alone.p99.toFixed(1)} ms alone, ${p99.toFixed(1)} ms beside them`,
    count: WAVES * 600,
    failures: faults.length,
    seed: '–',
    seconds: seconds(),
  })
  expect(faults).toEqual([])
})

const inMebibytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MiB`
