import { round, type BenchRow } from './bench-result.ts'
import { startBare, startPolylogue, type ChildServer } from './child-server.ts'
import { RawClient, createSession, turnBody } from './raw-client.ts'

const CONNECTIONS = 200
const DELTAS = 100
const BUDGET = 1.6

/** Both sides stream the same bytes from producers that give way after each delta, as fast as they can. */
export async function measureCpuPerDelta(turnsPerConnection: number): Promise<BenchRow> {
  const bare = await cpuPerDelta(await startBare(), turnsPerConnection, async () => '/')
  const ours = await cpuPerDelta(await startPolylogue(), turnsPerConnection, async (server) => {
    return `/aap/v3/sessions/${await createSession(server, 'scripted')}/turns`
  })
  const ratio = ours / bare
  return {
    name: 'CPU per delta, end to end, durable',
    measured: `${round(ours)} µs, ${round(ratio)} × bare`,
    budget: `≤ ${BUDGET} × a bare node:http SSE writer (${round(bare)} µs)`,
    isMet: ratio <= BUDGET,
    figures: { oursMicros: round(ours, 3), bareMicros: round(bare, 3), ratio: round(ratio, 3) },
  }
}

async function cpuPerDelta(
  server: ChildServer,
  turns: number,
  pathOf: (server: ChildServer) => Promise<string>,
): Promise<number> {
  try {
    const clients = await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => ({
        client: await RawClient.open(server),
        path: await pathOf(server),
      })),
    )
    const run = async (count: number): Promise<void> => {
      await Promise.all(
        clients.map(async ({ client, path }) => {
          for (let turn = 0; turn < count; turn++) await client.post(path, turnBody(`tokens ${DELTAS}`))
        }),
      )
    }
    await run(2)
    const before = await server.cpuMicros()
    await run(turns)
    const spent = (await server.cpuMicros()) - before
    for (const { client } of clients) client.close()
    return spent / (CONNECTIONS * turns * DELTAS)
  } finally {
    await server.stop()
  }
}
