import { round, type BenchRow } from './bench-result.ts'
import { startPolylogue } from './child-server.ts'
import { startLoadClients } from './load-clients.ts'

const AT_ONCE = 50
const THOUSAND = 1_000

/** The memory use of open sessions with one turn each. */
export async function measureOpenSessions(sessions: number): Promise<BenchRow> {
  await using stack = new AsyncDisposableStack()
  const server = stack.adopt(await startPolylogue(), (started) => started.stop())
  const clients = stack.adopt(startLoadClients(), (started) => started.close())
  const { href: url } = server.url
  const job = {
    url,
    key: server.key,
    agent: 'scripted',
    load: 'turn-none',
    clients: AT_ONCE,
    rounds: 1,
    turns: 0,
  } as const
  await clients.run({ ...job, rounds: 20 })
  const before = await server.settledBytes()
  for (let opened = 0; opened < sessions; opened += AT_ONCE) await clients.run(job)
  const after = await server.settledBytes()
  const mib = ((after - before) / 2 ** 20 / sessions) * THOUSAND
  return {
    name: 'Memory of 1,000 open sessions with one turn each, after garbage collection',
    measured: `${round(mib, 1)} MiB, ${round(after / 2 ** 20, 0)} MiB in all`,
    budget: 'none: for comparison',
    isMet: true,
    figures: { mibPerThousand: round(mib, 2), totalMib: round(after / 2 ** 20, 1), sessions },
  }
}
