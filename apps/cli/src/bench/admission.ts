import { setTimeout } from 'node:timers/promises'
import { percentile, round, type BenchRow } from './bench-result.ts'
import { startPolylogue, type ChildServer } from './child-server.ts'
import { measureDiskSync } from './disk-sync.ts'
import { RawClient, createSession, turnBody } from './raw-client.ts'

const RATE = 100
const SESSIONS = 100
const P50_MS = 3
const P99_MS = 15
/** As often as needed for a p99, over the whole time that the prompts take. */
const SYNC_EVERY_MS = 50

/**
 * Open loop: sends a prompt every 10 ms, whatever the answers do. The first byte comes when the prompt is on disk. The disk's
 * own time for a sync, measured meanwhile, explains slow answers that the server could not make faster.
 */
export async function measureAdmission(seconds: number): Promise<BenchRow> {
  const server = await startPolylogue()
  try {
    const clients = await openClients(server)
    const times: number[] = []
    const answers: Promise<void>[] = []
    const disk = measureDiskSync((seconds * 1000) / SYNC_EVERY_MS, SYNC_EVERY_MS)
    const startedAt = performance.now()
    for (let index = 0; index < RATE * seconds; index++) {
      await setTimeout(Math.max(0, startedAt + (index * 1000) / RATE - performance.now()))
      const slot = clients[index % clients.length]
      if (slot !== undefined) answers.push(timeFirstByte(slot, times))
    }
    await Promise.all(answers)
    const sync = await disk
    for (const { client } of clients) client.close()
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
    return {
      name: `Time until a prompt is durable, ${RATE} prompts/s`,
      measured: `p50 ${round(p50)} ms, p99 ${round(p99)} ms; a sync of the disk alone p50 ${round(sync.p50Ms)} ms, p99 ${round(sync.p99Ms)} ms`,
      budget: `p50 ≤ ${P50_MS} ms, p99 ≤ ${P99_MS} ms`,
      isMet: p50 <= P50_MS && p99 <= P99_MS,
      figures: {
        p50Ms: round(p50, 3),
        p99Ms: round(p99, 3),
        diskP50Ms: round(sync.p50Ms, 3),
        diskP99Ms: round(sync.p99Ms, 3),
        prompts: times.length,
      },
    }
  } finally {
    await server.stop()
  }
}

interface Slot {
  readonly client: RawClient
  readonly path: string
}

async function openClients(server: ChildServer): Promise<readonly Slot[]> {
  const slots: Slot[] = []
  for (let index = 0; index < SESSIONS; index++) {
    const path = `/aap/v3/sessions/${await createSession(server, 'scripted')}/turns`
    slots.push({ client: await RawClient.open(server), path })
  }
  for (const { client, path } of slots) await client.post(path, turnBody('say warm'))
  return slots
}

async function timeFirstByte({ client, path }: Slot, times: number[]): Promise<void> {
  const sentAt = performance.now()
  let isFirst = true
  await client.post(path, turnBody('say ok'), () => {
    if (isFirst) times.push(performance.now() - sentAt)
    isFirst = false
  })
}
