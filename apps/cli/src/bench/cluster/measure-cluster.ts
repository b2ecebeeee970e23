import { join } from 'node:path'
import { percentile, type BenchRow } from '../bench-result.ts'
import { makeDataDir, removeDataDir, startPolylogue, type ChildServer } from '../child-server.ts'
import { startLoadClients } from '../load-clients.ts'
import type { LoadName } from '../load.ts'
import { RawClient, createSession, turnBody } from '../raw-client.ts'
import { CLIENTS, toClusterRows } from './cluster-rows.ts'
import { measureOtherNodeDeltas } from './other-node-deltas.ts'
import { measureRawDatabase } from './raw-database.ts'
import { startTempPostgres } from './temp-postgres.ts'
import { startTempRedis } from './temp-redis.ts'

const STEPS = 10
const DELTAS_PER_TURN = 100

export interface ClusterOptions {
  readonly isQuick: boolean
  /** An empty database that may be filled. Default: a temporary PostgreSQL server. */
  readonly database?: string
  /** Default: a temporary Redis server, if there is one on PATH. */
  readonly redis?: string
}

/** One and two nodes on one PostgreSQL, beside what the database does without them. */
export async function measureCluster({ isQuick, database, redis }: ClusterOptions): Promise<readonly BenchRow[]> {
  await using stack = new AsyncDisposableStack()
  const own = database === undefined ? await startTempPostgres() : undefined
  if (own !== undefined) stack.defer(() => own.stop())
  const url = database ?? own?.url
  if (url === undefined) {
    process.stderr.write('cluster needs PostgreSQL: install it, or name an empty database with --database.\n')
    return []
  }
  const raw = await measureRawDatabase(url)
  const shared = stack.adopt(await makeDataDir(), removeDataDir)
  const environment = { POLYLOGUE_SECRET_KEY_FILE: join(shared, 'secret.key') }
  const startNode = async (...flags: readonly string[]): Promise<ChildServer> =>
    stack.adopt(await startPolylogue({ flags: ['--database', url, ...flags], environment }), (node) => node.stop())
  const a = await startNode()
  await load([a], 'turn-none', isQuick ? 10 : 100)
  const stepMs = await measureStep(a, isQuick ? 20 : 200)
  const oneNode = await load([a], 'turn-none', isQuick ? 20 : 60)
  const oneDeltas = (await load([a], 'turn-deltas', isQuick ? 5 : 20)) * DELTAS_PER_TURN
  const b = await startNode()
  await load([b], 'turn-none', isQuick ? 10 : 100)
  const twoNodes = await load([a, b], 'turn-none', isQuick ? 20 : 60)
  const twoDeltas = (await load([a, b], 'turn-deltas', isQuick ? 5 : 20)) * DELTAS_PER_TURN
  const notify = await measureOtherNodeDeltas({ runner: a, reader: b }, isQuick)
  await Promise.all([a.stop(), b.stop()])

  const ownRedis = redis === undefined ? await startTempRedis() : undefined
  if (ownRedis !== undefined) stack.defer(() => ownRedis.stop())
  const redisUrl = redis ?? ownRedis?.url
  const measured = { raw, stepMs, oneNode, twoNodes, oneDeltas, twoDeltas, notify }
  if (redisUrl === undefined) return toClusterRows(measured)
  const [c, d] = [await startNode('--redis', redisUrl), await startNode('--redis', redisUrl)]
  return toClusterRows({ ...measured, redis: await measureOtherNodeDeltas({ runner: c, reader: d }, isQuick) })
}

/** One client, one turn after the other; each turn calls a tool in each of its steps. */
async function measureStep(node: ChildServer, turns: number): Promise<number> {
  const client = await RawClient.open(node)
  const path = `/aap/v3/sessions/${await createSession(node, 'scripted', [{ name: 'echo', trust: true }])}/turns`
  const times: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const steps = Array.from({ length: STEPS }, (_, step) => `call c${turn}-${step} echo {"msg":"hi"}`)
    const before = performance.now()
    await client.post(path, turnBody([...steps, 'say done'].join('\n---\n')))
    times.push((performance.now() - before) / (STEPS + 1))
  }
  client.close()
  return percentile(times, 0.5)
}

/** Rounds per second of 32 clients, shared by the nodes. The clients of each node are a process of their own. */
async function load(nodes: readonly ChildServer[], name: LoadName, rounds: number): Promise<number> {
  const rates = nodes.map(async ({ url: { href: url }, key }) => {
    const clients = startLoadClients()
    const job = { url, key, agent: 'scripted', load: name, clients: CLIENTS / nodes.length, rounds, turns: 0 }
    const { perSecond } = await clients.run(job)
    clients.close()
    return perSecond
  })
  return (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0)
}
