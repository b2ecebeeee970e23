import { percentile, round, type BenchRow } from './bench-result.ts'
import { startBare, startPolylogue, type ChildServer } from './child-server.ts'
import { RawClient, createSession, turnBody } from './raw-client.ts'
import { monotonicMicros } from './stamped-deltas.ts'

const TURNS = 200
const FLOOR_MS = 10
const FACTOR = 3

/** 200 turns with 50 deltas a second each. Measures the time from the model's delta to the client's socket. */
export async function measureAddedLatency(deltasPerTurn: number): Promise<BenchRow> {
  const bare = await latencies(await startBare(), deltasPerTurn, async () => '/')
  const ours = await latencies(await startPolylogue(), deltasPerTurn, async (server) => {
    return `/aap/v3/sessions/${await createSession(server, 'stamps')}/turns`
  })
  const [bare99, ours50, ours99] = [percentile(bare, 0.99), percentile(ours, 0.5), percentile(ours, 0.99)]
  const limit = Math.max(FLOOR_MS, FACTOR * bare99)
  return {
    name: 'Latency from a model delta to the client, 200 turns × 50 deltas/s',
    measured: `p50 ${round(ours50)} ms, p99 ${round(ours99)} ms`,
    budget: `p99 ≤ max(${FLOOR_MS} ms, ${FACTOR} × bare p99 of ${round(bare99)} ms)`,
    isMet: ours99 <= limit,
    figures: {
      p50Ms: round(ours50, 3),
      p99Ms: round(ours99, 3),
      bareP50Ms: round(percentile(bare, 0.5), 3),
      bareP99Ms: round(bare99, 3),
      deltas: ours.length,
    },
  }
}

async function latencies(
  server: ChildServer,
  deltas: number,
  pathOf: (server: ChildServer) => Promise<string>,
): Promise<readonly number[]> {
  const seen: number[] = []
  const collect = (chunk: Buffer): void => {
    const now = monotonicMicros()
    for (const match of chunk.toString('latin1').matchAll(/@(\d+)@/g)) seen.push((now - Number(match[1])) / 1000)
  }
  try {
    await Promise.all(
      Array.from({ length: TURNS }, async () => {
        const client = await RawClient.open(server)
        await client.post(await pathOf(server), turnBody(`stamps ${deltas}`), collect)
        client.close()
      }),
    )
  } finally {
    await server.stop()
  }
  return seen
}
