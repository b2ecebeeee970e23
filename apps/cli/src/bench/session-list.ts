import { percentile, round, type BenchRow } from './bench-result.ts'
import { startPolylogue, type ChildServer } from './child-server.ts'
import { createSession } from './raw-client.ts'

const WRITERS = 32
const READS = 400
const P99_MS = 50

/** Reads random pages of a long session list. */
export async function measureSessionList(sessions: number): Promise<BenchRow> {
  const server = await startPolylogue()
  try {
    let left = sessions
    const write = async (): Promise<void> => {
      while (left-- > 0) await createSession(server, 'scripted')
    }
    await Promise.all(Array.from({ length: WRITERS }, write))
    const times = await readPages(server)
    const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
    return {
      name: `Read one page of a list of ${sessions.toLocaleString('en')} stored sessions`,
      measured: `p50 ${round(p50)} ms, p99 ${round(p99)} ms`,
      budget: `p99 ≤ ${P99_MS} ms`,
      isMet: p99 <= P99_MS,
      figures: { p50Ms: round(p50, 3), p99Ms: round(p99, 3), sessions },
    }
  } finally {
    await server.stop()
  }
}

async function readPages(server: ChildServer): Promise<readonly number[]> {
  const times: number[] = []
  let next: string | undefined
  for (let read = 0; read < READS; read++) {
    const url = new URL('/aap/v3/sessions', server.url)
    if (next !== undefined) url.searchParams.set('after', next)
    const startedAt = performance.now()
    const response = await fetch(url, { headers: { authorization: `Bearer ${server.key}` } })
    const page: unknown = await response.json()
    times.push(performance.now() - startedAt)
    next =
      typeof page === 'object' && page !== null && 'next' in page && typeof page.next === 'string'
        ? page.next
        : undefined
  }
  return times
}
