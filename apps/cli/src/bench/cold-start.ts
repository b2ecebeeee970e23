import { percentile, round, type BenchRow } from './bench-result.ts'
import { startPolylogue } from './child-server.ts'

const READY_MS = 350
const MEMORY_MB = 110

/** The time from spawn to the ready line with an empty data directory, and the memory at that point. */
export async function measureColdStart(rounds: number): Promise<BenchRow> {
  const readyMs: number[] = []
  const megabytes: number[] = []
  for (let round_ = 0; round_ < rounds; round_++) {
    const server = await startPolylogue()
    readyMs.push(server.readyMs)
    megabytes.push((await server.residentBytes()) / 1_000_000)
    await server.stop()
  }
  const [ms, mb] = [percentile(readyMs, 0.5), percentile(megabytes, 0.5)]
  return {
    name: 'Cold start of serve',
    measured: `${round(ms, 0)} ms, ${round(mb, 0)} MB`,
    budget: `≤ ${READY_MS} ms to ready, ≤ ${MEMORY_MB} MB`,
    isMet: ms <= READY_MS && mb <= MEMORY_MB,
    figures: { readyMs: round(ms, 1), residentMb: round(mb, 1), rounds },
  }
}
