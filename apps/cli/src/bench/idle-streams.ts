import { round, type BenchRow } from './bench-result.ts'
import { startPolylogue, type ChildServer } from './child-server.ts'
import { RawClient, createSession } from './raw-client.ts'

const SESSIONS = 100
const BUDGET_KIB = 25

/** Streams that follow an idle session. */
export async function measureIdleStreams(streams: number): Promise<BenchRow> {
  const server = await startPolylogue()
  try {
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => createSession(server, 'scripted')))
    for (const client of await openStreams(server, sessions, SESSIONS)) client.close()
    const before = await server.settledBytes()
    const clients = await openStreams(server, sessions, streams)
    const after = await server.settledBytes()
    for (const client of clients) client.close()
    const kib = (after - before) / streams / 1024
    return {
      name: `Memory of an idle SSE stream, ${streams.toLocaleString('en')} open, after garbage collection`,
      measured: `${round(kib, 1)} KiB each, ${round(after / 2 ** 20, 0)} MiB in all`,
      budget: `≤ ${BUDGET_KIB} KiB`,
      isMet: kib <= BUDGET_KIB,
      figures: { kibPerStream: round(kib, 2), totalMib: round(after / 2 ** 20, 1), streams },
    }
  } finally {
    await server.stop()
  }
}

async function openStreams(
  server: ChildServer,
  sessions: readonly string[],
  count: number,
): Promise<readonly RawClient[]> {
  const clients: RawClient[] = []
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(200, count - clients.length) }, async (_, index) => {
      const client = await RawClient.open(server)
      await client.follow(`/aap/v3/sessions/${sessions[(clients.length + index) % sessions.length]}/events?follow=1`)
      return client
    })
    clients.push(...(await Promise.all(batch)))
  }
  return clients
}
