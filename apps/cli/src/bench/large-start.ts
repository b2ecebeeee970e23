import { percentile, round, type BenchRow } from './bench-result.ts'
import { makeDataDir, removeDataDir, startPolylogue } from './child-server.ts'
import { startLoadClients } from './load-clients.ts'

const CLIENTS = 32
const TURNS_A_SESSION = 100
/** The number of events of a turn without calls. */
const EVENTS_A_TURN = 6
const STARTS = 3

/** The time from spawn to ready, with a database of this many events. */
export async function measureLargeStart(events: number): Promise<BenchRow> {
  await using stack = new AsyncDisposableStack()
  const data = stack.adopt(await makeDataDir(), removeDataDir)
  const stored = await fill(data, events)
  const readyMs: number[] = []
  const megabytes: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const server = await startPolylogue({ data })
    readyMs.push(server.readyMs)
    megabytes.push((await server.residentBytes()) / 1_000_000)
    await server.stop()
  }
  const [ms, mb] = [percentile(readyMs, 0.5), percentile(megabytes, 0.5)]
  return {
    name: `Start of the server with ${stored.toLocaleString('en')} stored events`,
    measured: `${round(ms, 0)} ms, ${round(mb, 0)} MB`,
    budget: 'none: for comparison',
    isMet: true,
    figures: { readyMs: round(ms, 1), residentMb: round(mb, 1), events: stored },
  }
}

async function fill(data: string, events: number): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const server = stack.adopt(await startPolylogue({ data }), (started) => started.stop())
  const clients = stack.adopt(startLoadClients(), (started) => started.close())
  const { href: url } = server.url
  const job = { url, key: server.key, agent: 'scripted', load: 'turn-none', clients: CLIENTS, turns: 0 } as const
  let stored = 0
  while (stored < events) stored += EVENTS_A_TURN * (await clients.run({ ...job, rounds: TURNS_A_SESSION })).rounds
  return stored
}
