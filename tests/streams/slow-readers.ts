// A session that says much, watched by clients that do not read, hardly read, or have left without anybody noticing.
import type { AapClient } from '../support/aap-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { type BadReaders, openBadReaders } from './support/bad-readers.ts'
import { measureDelays, percentile } from './support/measure-delay.ts'
import { readMetric } from './support/read-metric.ts'

export interface Wave {
  readonly readers: BadReaders
  /** Events of the watched session, all together. */
  readonly events: number
  /** As long as all readers are there: events in a second. */
  readonly perSecond: number
}

export interface WaveResult {
  readonly openStreamsBefore: number
  readonly openStreamsAfter: number
  readonly dropped: number
  /** Of a client of another session, in milliseconds. */
  readonly p99: number
  /** What the one reader that reads was not given, in characters. */
  readonly missing: number
  readonly residentBytes: { readonly before: number; readonly peak: number; readonly after: number }
}

/** Larger than what the kernel takes for a reader that does not read, and what we keep for it. */
const FILLING = { events: 600, bytes: 8192 }
const REST = { bytes: 100, perSecond: 1000, eventsPerTurn: 2000 }
const LOOK_EVERY_MS = 100

export async function sendWave(server: ServerProcess, { readers, events, perSecond }: Wave): Promise<WaveResult> {
  const client = server.client(V3)
  const resident = (): Promise<number> => readMetric(server, 'process_resident_memory_bytes')
  const openStreams = (): Promise<number> => readMetric(server, 'polylogue_open_streams')
  const dropped = (): Promise<number> => readMetric(server, 'polylogue_readers_dropped_total')
  const [openStreamsBefore, droppedBefore, before] = [await openStreams(), await dropped(), await resident()]

  const { id } = await openSession(client, { agent: 'flood' })
  await using _readers = await openBadReaders(client.exchange('GET', `${V3.session(id)}/events?follow=1`), readers)
  const over = new AbortController()
  const delays = measureDelays(client, over.signal)
  const peak = watchPeak(resident, over.signal)

  let missing = await floodTurn(client, id, { ...FILLING, perSecond })
  for (let left = events - FILLING.events; left > 0; left -= REST.eventsPerTurn) {
    missing += await floodTurn(client, id, { ...REST, events: Math.min(left, REST.eventsPerTurn) })
  }
  over.abort()
  const p99 = percentile(await delays, 0.99)
  const isBack = async (): Promise<true | undefined> => ((await openStreams()) <= openStreamsBefore ? true : undefined)
  await eventually(isBack, `${openStreamsBefore} open streams`).catch(() => undefined)
  return {
    openStreamsBefore,
    openStreamsAfter: await openStreams(),
    dropped: (await dropped()) - droppedBefore,
    p99,
    missing,
    residentBytes: { before, peak: await peak, after: await resident() },
  }
}

interface Flood {
  readonly events: number
  readonly bytes: number
  readonly perSecond: number
}

/** One turn, read as it comes. Gives how many characters of it did not arrive. */
async function floodTurn(client: AapClient, id: string, { events, bytes, perSecond }: Flood): Promise<number> {
  const body = { stream: 'delta', messages: [{ role: 'user', content: `flood ${events} ${bytes} ${perSecond}` }] }
  const frames = await (await client.streamTurn(id, body)).finished()
  const arrived = frames.reduce((sum, { data }) => sum + String(data['delta'] ?? '').length, 0)
  return events * bytes - arrived
}

async function watchPeak(look: () => Promise<number>, stop: AbortSignal): Promise<number> {
  let peak = 0
  while (!stop.aborted) {
    peak = Math.max(peak, await look())
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return peak
}
