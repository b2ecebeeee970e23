import { percentile, round, type BenchRow } from './bench-result.ts'
import { startBare, startPolylogue } from './child-server.ts'
import { openDeltaLoad } from './delta-load.ts'

export const SATURATION = { connections: 200, deltasPerTurn: 100 } as const

const BUDGET = 1.6
const ROUNDS = 5
const WARM_UP_TURNS = 4

/**
 * Both sides stream the same bytes at full speed from producers that yield after each delta. They alternate, and the
 * median counts, so that other load on the machine affects both sides alike.
 */
export async function measureCpuPerDelta(turnsPerRound: number): Promise<BenchRow> {
  await using stack = new AsyncDisposableStack()
  const bareServer = stack.adopt(await startBare(), (server) => server.stop())
  const ourServer = stack.adopt(await startPolylogue(), (server) => server.stop())
  const bareLoad = stack.adopt(await openDeltaLoad(bareServer, SATURATION, async () => '/'), (load) => load.close())
  const ourLoad = stack.adopt(await openDeltaLoad(ourServer, SATURATION), (load) => load.close())
  for (const load of [bareLoad, ourLoad]) await load.run(WARM_UP_TURNS)
  const rounds: { readonly bare: number; readonly ours: number }[] = []
  while (rounds.length < ROUNDS) {
    rounds.push({ bare: await bareLoad.run(turnsPerRound), ours: await ourLoad.run(turnsPerRound) })
  }
  const median = (values: readonly number[]): number => percentile(values, 0.5)
  const ratio = median(rounds.map(({ bare, ours }) => ours / bare))
  const [bare, ours] = [median(rounds.map((of) => of.bare)), median(rounds.map((of) => of.ours))]
  return {
    name: 'CPU per streamed delta, end to end, durable',
    measured: `${round(ours)} µs, ${round(ratio)} × bare`,
    budget: `≤ ${BUDGET} × a bare node:http SSE writer (${round(bare)} µs)`,
    isMet: ratio <= BUDGET,
    figures: { oursMicros: round(ours, 3), bareMicros: round(bare, 3), ratio: round(ratio, 3), rounds: ROUNDS },
  }
}
