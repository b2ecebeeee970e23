import { percentile, round, type BenchRow } from './bench-result.ts'
import { startBroadcaster, startPolylogue, type ChildServer } from './child-server.ts'
import { createSession } from './raw-client.ts'
import { RawSocketClient } from './raw-socket-client.ts'

const BUDGET = 0.6
const ROUNDS = 5
const SESSIONS = 10
const SUBSCRIBERS = 50
const WARM_UP_DELTAS = 50

/** Messages delivered per second of server CPU time, to lean clients that watch sessions streaming in parallel. */
export async function measureSocketDeliveries(deltasPerTurn: number): Promise<BenchRow> {
  await using stack = new AsyncDisposableStack()
  const bareServer = stack.adopt(await startBroadcaster(), (server) => server.stop())
  const ourServer = stack.adopt(await startPolylogue(), (server) => server.stop())
  const bareAudience = await openAudience(bareServer, async () => crypto.randomUUID())
  const ourAudience = await openAudience(ourServer, (server) => createSession(server, 'stamps'))
  stack.defer(() => [bareAudience, ourAudience].forEach((audience) => audience.close()))
  for (const audience of [bareAudience, ourAudience]) await audience.run(WARM_UP_DELTAS)
  const rounds: { readonly bare: number; readonly ours: number }[] = []
  while (rounds.length < ROUNDS) {
    rounds.push({ bare: await bareAudience.run(deltasPerTurn), ours: await ourAudience.run(deltasPerTurn) })
  }
  const median = (values: readonly number[]): number => percentile(values, 0.5)
  const ratio = median(rounds.map(({ bare, ours }) => ours / bare))
  const [bare, ours] = [median(rounds.map((of) => of.bare)), median(rounds.map((of) => of.ours))]
  return {
    name: 'Socket.IO deliveries per second of CPU, lean clients, durable',
    measured: `${round(ours, 0)}, ${round(ratio)} × bare`,
    budget: `≥ ${BUDGET} × a bare broadcaster (${round(bare, 0)})`,
    isMet: ratio >= BUDGET,
    figures: {
      oursPerCpuSecond: round(ours, 0),
      barePerCpuSecond: round(bare, 0),
      ratio: round(ratio, 3),
      sockets: SESSIONS * SUBSCRIBERS,
      rounds: ROUNDS,
    },
  }
}

interface Audience {
  /** Runs a turn in every session. Returns the messages per second of CPU time. */
  run(deltas: number): Promise<number>
  close(): void
}

async function openAudience(
  server: ChildServer,
  sessionOf: (server: ChildServer) => Promise<string>,
): Promise<Audience> {
  const sessions: { readonly session_id: string; readonly clients: readonly RawSocketClient[] }[] = []
  for (let session = 0; session < SESSIONS; session++) {
    const session_id = await sessionOf(server)
    const clients: RawSocketClient[] = []
    for (let client = 0; client < SUBSCRIBERS; client++) {
      const opened = await RawSocketClient.open(server, { token: server.key, lean: true })
      await opened.ask('session:subscribe', { session_id })
      clients.push(opened)
    }
    sessions.push({ session_id, clients })
  }
  const all = sessions.flatMap(({ clients }) => clients)
  const count = (): number => all.reduce((sum, { messages }) => sum + messages, 0)
  return {
    async run(deltas) {
      const before = { cpu: await server.cpuMicros(), messages: count() }
      await Promise.all(
        sessions.map(async ({ session_id, clients: [sender, ...others] }) => {
          await sender?.ask('chat:send', { session_id, message: `stamps ${deltas}` })
          await Promise.all([sender, ...others].map(async (client) => client?.hear('42["chat:end"')))
        }),
      )
      const cpuSeconds = ((await server.cpuMicros()) - before.cpu) / 1e6
      return (count() - before.messages) / cpuSeconds
    },
    close() {
      for (const client of all) client.close()
    },
  }
}
