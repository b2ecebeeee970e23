import { round, type BenchRow } from './bench-result.ts'
import { startPolylogue } from './child-server.ts'
import { RawClient, createSession, turnBody } from './raw-client.ts'

const WINDOW = 100
const WARM_UP_TURNS = 300
const ALLOWED = 1.5

/**
 * The CPU time of the first turn of a session, of turn 100 and of the last one. The model's input grows with the
 * session; the log must not add to that cost. A turn takes less CPU time than the system clock can resolve, so each
 * figure is the mean of a hundred turns: the first turns of a hundred sessions, and the neighbours of the other two
 * turns.
 */
export async function measureGrowth(turns: number): Promise<BenchRow> {
  const server = await startPolylogue()
  try {
    const client = await RawClient.open(server)
    const pathOfNew = async (): Promise<string> => `/aap/v3/sessions/${await createSession(server, 'scripted')}/turns`
    const spend = async (paths: readonly string[]): Promise<number> => {
      const before = await server.cpuMicros()
      for (const path of paths) await client.post(path, turnBody('say ok'))
      return ((await server.cpuMicros()) - before) / paths.length
    }
    const repeat = (path: string, count: number): readonly string[] => Array.from({ length: count }, () => path)

    await spend(repeat(await pathOfNew(), WARM_UP_TURNS))
    const news: string[] = []
    while (news.length < WINDOW) news.push(await pathOfNew())
    const first = await spend(news)
    const path = await pathOfNew()
    await spend(repeat(path, WINDOW / 2))
    const early = await spend(repeat(path, WINDOW))
    await spend(repeat(path, turns - 2.5 * WINDOW))
    const late = await spend(repeat(path, WINDOW))
    client.close()

    const ratio = late / Math.min(first, early)
    return {
      name: `CPU of turns 1, ${WINDOW} and ${turns.toLocaleString('en')} of one session`,
      measured: `${[first, early, late].map((micros) => round(micros, 0)).join(', ')} µs, the last ${round(ratio)} ×`,
      budget: `the last ≤ ${ALLOWED} ×`,
      isMet: ratio <= ALLOWED,
      figures: {
        firstMicros: round(first, 1),
        earlyMicros: round(early, 1),
        lateMicros: round(late, 1),
        ratio: round(ratio, 3),
        turns,
      },
    }
  } finally {
    await server.stop()
  }
}
