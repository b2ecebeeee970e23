import { round, type BenchRow } from './bench-result.ts'
import { startPolylogue } from './child-server.ts'
import { RawClient, createSession, turnBody } from './raw-client.ts'

const WINDOW = 100
const ALLOWED = 1.5

/** CPU of a turn late in a session beside one early in it; what the model is sent grows too, the log must not add to it. */
export async function measureGrowth(turns: number): Promise<BenchRow> {
  const server = await startPolylogue()
  try {
    const client = await RawClient.open(server)
    const path = `/aap/v3/sessions/${await createSession(server, 'scripted')}/turns`
    const spend = async (count: number): Promise<number> => {
      const before = await server.cpuMicros()
      for (let turn = 0; turn < count; turn++) await client.post(path, turnBody('say ok'))
      return ((await server.cpuMicros()) - before) / count
    }
    await spend(WINDOW)
    const early = await spend(WINDOW)
    await spend(Math.max(0, turns - 3 * WINDOW))
    const late = await spend(WINDOW)
    client.close()
    const ratio = late / early
    return {
      name: `Growth: CPU of turn ${turns} beside turn ${2 * WINDOW} of one session`,
      measured: `${round(late, 0)} µs beside ${round(early, 0)} µs, ${round(ratio)} ×`,
      budget: `≤ ${ALLOWED} ×`,
      isMet: ratio <= ALLOWED,
      figures: { earlyMicros: round(early, 1), lateMicros: round(late, 1), ratio: round(ratio, 3), turns },
    }
  } finally {
    await server.stop()
  }
}
