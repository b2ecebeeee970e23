import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { PROGRAM } from '../launcher.ts'
import { GREETING, startAcpClient } from './acp-client.ts'
import { percentile, round, type BenchRow } from './bench-result.ts'

/** What an editor does before its user types the first word. */
const PAUSE_MS = 300
const BUDGET = { fromSpawnMs: 300, afterPauseMs: 60, laterMs: 20 } as const

/** The first session of an editor, without and with a pause after `initialize`, and the ones after it. */
export async function measureAcpSession(rounds: number): Promise<BenchRow> {
  const times: Record<keyof typeof BUDGET, number[]> = { fromSpawnMs: [], afterPauseMs: [], laterMs: [] }
  // The first start fills the compile cache that later starts use.
  await openSessions(0)
  for (let count = 0; count < rounds; count++) {
    const { fromSpawnMs, laterMs } = await openSessions(0)
    times.fromSpawnMs.push(fromSpawnMs)
    times.laterMs.push(laterMs)
    times.afterPauseMs.push((await openSessions(PAUSE_MS)).firstMs)
  }
  const median = (name: keyof typeof BUDGET): number => percentile(times[name], 0.5)
  const [fromSpawn, afterPause, later] = [median('fromSpawnMs'), median('afterPauseMs'), median('laterMs')]
  return {
    name: 'ACP, spawn to the answer to session/new',
    measured: `${round(fromSpawn, 0)} ms; ${round(afterPause, 0)} ms after a pause; ${round(later, 0)} ms later`,
    budget: `≤ ${BUDGET.fromSpawnMs} ms; ≤ ${BUDGET.afterPauseMs} ms after a pause of ${PAUSE_MS} ms; ≤ ${BUDGET.laterMs} ms later`,
    isMet: fromSpawn <= BUDGET.fromSpawnMs && afterPause <= BUDGET.afterPauseMs && later <= BUDGET.laterMs,
    figures: {
      fromSpawnMs: round(fromSpawn, 1),
      afterPauseMs: round(afterPause, 1),
      laterMs: round(later, 1),
      rounds,
    },
  }
}

interface OpenedSessions {
  readonly fromSpawnMs: number
  readonly firstMs: number
  readonly laterMs: number
}

async function openSessions(pauseMs: number): Promise<OpenedSessions> {
  const cwd = await mkdtemp(join(tmpdir(), 'polylogue-bench-'))
  const startedAt = performance.now()
  const client = startAcpClient(PROGRAM, ['acp', '--data', join(cwd, 'data')])
  try {
    await client.request('initialize', GREETING)
    if (pauseMs > 0) await setTimeout(pauseMs)
    const askedAt = performance.now()
    await client.request('session/new', { cwd, mcpServers: [] })
    const answeredAt = performance.now()
    await client.request('session/new', { cwd, mcpServers: [] })
    return {
      fromSpawnMs: answeredAt - startedAt,
      firstMs: answeredAt - askedAt,
      laterMs: performance.now() - answeredAt,
    }
  } finally {
    await client.close()
    await rm(cwd, { recursive: true, force: true })
  }
}
