import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PROGRAM } from '../launcher.ts'
import { GREETING, startAcpClient, type AcpClient } from './acp-client.ts'
import { percentile, round, type BenchRow } from './bench-result.ts'

const BUDGET = 0.5
const ROUNDS = 5
const WARM_UP = 2_000
/** Each delta of the producer has two characters. */
const DELTA_LENGTH = 2

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Model deltas per second that reach the editor. Both sides use the same producer, which yields after each delta. */
export async function measureAcpUpdates(deltas: number): Promise<BenchRow> {
  const directory = await mkdtemp(join(tmpdir(), 'polylogue-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const adopt = async (client: AcpClient) =>
    openLoad(
      stack.adopt(client, (open) => open.close()),
      directory,
    )
  const bareRun = await adopt(startAcpClient(process.execPath, [path('./bare-acp-agent.ts')]))
  const data = join(directory, 'data')
  const ourRun = await adopt(startAcpClient(PROGRAM, ['acp', '--agent', 'scripted', '--data', data]))
  for (const run of [bareRun, ourRun]) await run(WARM_UP)
  const rounds: { readonly bare: number; readonly ours: number }[] = []
  while (rounds.length < ROUNDS) rounds.push({ bare: await bareRun(deltas), ours: await ourRun(deltas) })
  const median = (values: readonly number[]): number => percentile(values, 0.5)
  const ratio = median(rounds.map(({ bare, ours }) => ours / bare))
  const [bare, ours] = [median(rounds.map((of) => of.bare)), median(rounds.map((of) => of.ours))]
  return {
    name: 'ACP, deltas to the editor in a second, durable',
    measured: `${round(ours, 0)}, ${round(ratio)} × bare`,
    budget: `≥ ${BUDGET} × the bare SDK (${round(bare, 0)})`,
    isMet: ratio >= BUDGET,
    figures: { oursPerSecond: round(ours, 0), barePerSecond: round(bare, 0), ratio: round(ratio, 3), rounds: ROUNDS },
  }
}

/** Runs a turn with this many deltas. Returns the deltas per second. */
async function openLoad(client: AcpClient, cwd: string): Promise<(deltas: number) => Promise<number>> {
  await client.request('initialize', GREETING)
  const { sessionId } = await client.request('session/new', { cwd, mcpServers: [] })
  return async (deltas) => {
    const before = client.textLength
    const startedAt = performance.now()
    await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: `tokens ${deltas}` }] })
    const seconds = (performance.now() - startedAt) / 1000
    const came = (client.textLength - before) / DELTA_LENGTH
    if (came < deltas) throw new Error(`only ${came} of ${deltas} deltas came`)
    return deltas / seconds
  }
}
