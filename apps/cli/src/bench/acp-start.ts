import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM } from '../launcher.ts'
import { GREETING, startAcpClient } from './acp-client.ts'
import { percentile, round, type BenchRow } from './bench-result.ts'

const RATIO = 2.5
const MEMORY_MB = 80

/** The time from spawn to the answer to `initialize`, compared with an empty Node program. */
export async function measureAcpStart(rounds: number): Promise<BenchRow> {
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  // The first start fills the compile cache that later starts use.
  await startEditor(directory)
  const pairs: { readonly bare: number; readonly ours: number; readonly mb: number }[] = []
  while (pairs.length < rounds) pairs.push({ bare: await startNode(), ...(await startEditor(directory)) })
  const median = (of: (pair: (typeof pairs)[number]) => number): number => percentile(pairs.map(of), 0.5)
  const [bare, ours, mb] = [median((pair) => pair.bare), median((pair) => pair.ours), median((pair) => pair.mb)]
  const ratio = median((pair) => pair.ours / pair.bare)
  return {
    name: 'ACP, spawn to the answer to initialize',
    measured: `${round(ours, 0)} ms, ${round(ratio)} × node -e 0, ${round(mb, 0)} MB`,
    budget: `≤ ${RATIO} × node -e 0 (${round(bare, 0)} ms), ≤ ${MEMORY_MB} MB`,
    isMet: ratio <= RATIO && mb <= MEMORY_MB,
    figures: {
      answerMs: round(ours, 1),
      nodeMs: round(bare, 1),
      ratio: round(ratio, 3),
      residentMb: round(mb, 1),
      rounds,
    },
  }
}

async function startNode(): Promise<number> {
  const startedAt = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return performance.now() - startedAt
}

async function startEditor(directory: string): Promise<{ readonly ours: number; readonly mb: number }> {
  const startedAt = performance.now()
  const client = startAcpClient(PROGRAM, ['acp', '--data', join(directory, 'data')])
  await client.request('initialize', GREETING)
  const ours = performance.now() - startedAt
  const status = await readFile(`/proc/${client.child.pid}/status`, 'utf8')
  await client.close()
  return { ours, mb: (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1_000_000 }
}
