// Nodes under load, and faults of every kind, one after the other, drawn from a seed.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createSeededRandom, type SeededRandom } from '../../storage-faults/seeded-random.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { query } from '../../support/test-database.ts'
import { startFaultyProxy, type FaultyProxy } from '../support/faulty-proxy.ts'
import { prepareNodes, type Nodes } from '../support/nodes.ts'
import { startLoad } from './load.ts'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'

export interface MixedPlan {
  readonly faults: number
  readonly seed: string
  /** Until every node is ready again. */
  readonly wellWithinMs: number
}

export interface Mixed {
  readonly turns: number
  readonly complaints: readonly string[]
  /** The faults in order, with what came of each. */
  readonly story: readonly string[]
}

interface Stage {
  readonly postgres: OwnPostgres
  readonly nodes: Nodes
  readonly proxies: readonly FaultyProxy[]
  readonly running: ServerProcess[]
  readonly random: SeededRandom
}

type Fault = (stage: Stage) => Promise<string>

const NODES = 3
const SESSIONS = 12
const MODEL_MS = 300
const between = (random: SeededRandom, fromMs: number, toMs: number): number => fromMs + random.int(toMs - fromMs)
const placeIn = ({ random }: Stage): number => random.int(NODES)

function nodeAt({ running }: Stage, place: number): ServerProcess {
  const node = running[place]
  if (node === undefined) throw new Error(`there is no node ${place}`)
  return node
}

function proxyAt({ proxies }: Stage, place: number): FaultyProxy {
  const proxy = proxies[place]
  if (proxy === undefined) throw new Error(`there is no proxy ${place}`)
  return proxy
}

async function startNode({ nodes, proxies, running }: Pick<Stage, 'nodes' | 'proxies' | 'running'>, place: number) {
  running[place] = await nodes.start(String(place), { database: proxies[place]?.url ?? '' })
}

/** Somebody's session at the database: it holds what it has locked until it ends. */
async function holding(url: string, text: string, ms: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`BEGIN; ${text}`)
  await delay(ms)
  await client.end()
}

/** Each resolves when its fault is over, with what it was. */
const FAULTS: readonly Fault[] = [
  async function kill(stage) {
    const place = placeIn(stage)
    await nodeAt(stage, place).kill()
    await startNode(stage, place)
    return `node ${place} is killed`
  },
  async function killTwice(stage) {
    const place = placeIn(stage)
    const other = (place + 1) % NODES
    await Promise.all([nodeAt(stage, place).kill(), nodeAt(stage, other).kill()])
    await Promise.all([startNode(stage, place), startNode(stage, other)])
    return `nodes ${place} and ${other} are killed at once`
  },
  async function killAll(stage) {
    await Promise.all(stage.running.map((node) => node.kill()))
    await Promise.all(stage.running.map((_, place) => startNode(stage, place)))
    return 'all nodes are killed at once'
  },
  async function stop(stage) {
    const place = placeIn(stage)
    const code = await nodeAt(stage, place).stop()
    await startNode(stage, place)
    if (code !== 0) throw new Error(`node ${place} exited with ${code}`)
    return `node ${place} is restarted`
  },
  async function freezeNode(stage) {
    const place = placeIn(stage)
    const ms = between(stage.random, 1_000, 9_000)
    const { pid } = nodeAt(stage, place)
    process.kill(pid, 'SIGSTOP')
    await delay(ms)
    process.kill(pid, 'SIGCONT')
    return `node ${place} is frozen for ${ms} ms`
  },
  async function freezeAll(stage) {
    const ms = between(stage.random, 4_000, 8_000)
    for (const { pid } of stage.running) process.kill(pid, 'SIGSTOP')
    await delay(ms)
    for (const { pid } of stage.running) process.kill(pid, 'SIGCONT')
    return `all nodes are frozen for ${ms} ms`
  },
  async function breakNetwork(stage) {
    const place = placeIn(stage)
    const type = stage.random.pick(['deaf', 'silent', 'refuse', 'slow'] as const)
    const ms = between(stage.random, 1_000, 10_000)
    const proxy = proxyAt(stage, place)
    proxy.set(type === 'slow' ? { type, ms: between(stage.random, 50, 300) } : { type })
    await delay(ms)
    proxy.set(undefined)
    return `the network of node ${place} is ${type} for ${ms} ms`
  },
  async function cutOff(stage) {
    const place = placeIn(stage)
    const type = stage.random.pick(['deaf', 'silent', 'refuse'] as const)
    const proxy = proxyAt(stage, place)
    proxy.set({ type })
    await delay(18_000)
    proxy.set(undefined)
    return `the network of node ${place} is ${type} for longer than it keeps its turns`
  },
  async function resetConnections(stage) {
    const place = placeIn(stage)
    for (let times = 0; times < 5; times++) {
      proxyAt(stage, place).reset()
      await delay(between(stage.random, 10, 300))
    }
    return `the connections of node ${place} are reset in the middle of answers`
  },
  async function lockTable(stage) {
    const table = stage.random.pick(['sessions', 'nodes', 'rules', 'user_sizes', 'events', 'keys', 'draft_parts'])
    const ms = between(stage.random, 1_000, 9_000)
    await holding(stage.postgres.url, `LOCK TABLE polylogue.${table} IN ACCESS EXCLUSIVE MODE`, ms)
    return `the table ${table} is locked for ${ms} ms`
  },
  async function lockRow(stage) {
    const ms = between(stage.random, 1_000, 12_000)
    const text = 'SELECT FROM polylogue.sessions ORDER BY random() LIMIT 1 FOR UPDATE'
    await holding(stage.postgres.url, text, ms)
    return `a session is locked for ${ms} ms`
  },
  async function vacuum(stage) {
    await query(stage.postgres.url, 'VACUUM FULL')
    return 'everything is vacuumed'
  },
  async function terminate(stage) {
    const kind = stage.random.pick(['polylogue', 'polylogue bus', 'polylogue jobs'])
    for (let times = 0; times < 5; times++) {
      const text = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1'
      await query(stage.postgres.url, text, [kind])
      await delay(between(stage.random, 10, 400))
    }
    return `connections of the kind "${kind}" are ended, five times`
  },
  async function cancelStatements(stage) {
    for (let times = 0; times < 30; times++) {
      const text = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE 'polylogue%' AND state = 'active' AND pid <> pg_backend_pid()`
      await query(stage.postgres.url, text)
      await delay(20)
    }
    return 'statements are cancelled'
  },
  async function crowd(stage) {
    const ms = between(stage.random, 2_000, 8_000)
    const clients: pg.Client[] = []
    try {
      // A superuser takes the reserved connections as well.
      for (;;) {
        const client = new pg.Client({ connectionString: stage.postgres.url })
        client.on('error', () => undefined)
        await client.connect()
        clients.push(client)
      }
    } catch {
      await query(
        stage.postgres.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'polylogue%'`,
      ).catch(() => undefined)
      await delay(ms)
    } finally {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
    }
    return `no connection is left for ${ms} ms`
  },
  async function restartDatabase(stage) {
    await stage.postgres.restart()
    return 'the database is killed'
  },
  async function freezeDatabase(stage) {
    const ms = between(stage.random, 1_000, 8_000)
    await stage.postgres.freeze(ms, async () => undefined)
    return `the database is frozen for ${ms} ms`
  },
]

/** Draws faults from the seed, lets each pass, and returns what does not hold afterwards. */
export async function mixFaults({ faults, seed, wellWithinMs }: MixedPlan): Promise<Mixed> {
  const random = createSeededRandom(seed)
  const postgres = await startOwnPostgres()
  const nodes = await prepareNodes(postgres.url)
  const proxies = await Promise.all(Array.from({ length: NODES }, () => startFaultyProxy(postgres.url)))
  const running: ServerProcess[] = []
  const stage: Stage = { postgres, nodes, proxies, running, random }
  const complaints: string[] = []
  const story: string[] = []
  try {
    for (let place = 0; place < NODES; place++) await startNode(stage, place)
    let last = 'nothing'
    const load = await startLoad({
      nodes: () => running,
      key: nodeAt(stage, 0).key,
      url: postgres.url,
      counting: nodes.counting,
      sessions: SESSIONS,
      modelMs: MODEL_MS,
      complain: (what) => void complaints.push(`after ${last}: ${what}`),
    })
    for (let fault = 0; fault < faults; fault++) {
      await delay(between(random, 100, 1_500))
      const made = random.pick(FAULTS)
      last = `fault ${fault} (${made.name})`
      const turns = load.turns
      try {
        last = `fault ${fault} (${await made(stage)})`
      } catch (error) {
        complaints.push(`${last}: ${error instanceof Error ? error.message : String(error)}`)
      }
      story.push(last)
      complaints.push(...(await untilWell(stage, wellWithinMs)).map((what) => `${last}: ${what}`))
      complaints.push(
        ...(await untilMore(() => load.turns > turns + 2, wellWithinMs)).map((what) => `${last}: ${what}`),
      )
    }
    complaints.push(...(await load.finish()))
    complaints.push(...(await findLeftovers(postgres.url)))
    return { turns: load.turns, complaints, story }
  } finally {
    await nodes.remove()
    for (const proxy of proxies) proxy.close()
    await postgres.stop()
  }
}

async function untilWell({ running }: Stage, withinMs: number): Promise<readonly string[]> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const answers = await Promise.all(
      running.map(async ({ url }) => {
        const answer = await fetch(`${url}/readyz`).catch(() => undefined)
        return answer === undefined ? 'no answer' : `${answer.status} ${await answer.text()}`
      }),
    )
    if (answers.every((answer) => answer.startsWith('200') && !answer.includes('degraded'))) return []
    if (performance.now() > giveUpAt) return [`the nodes are not ready: ${answers.join('; ')}`]
    await delay(100)
  }
}

async function untilMore(isMore: () => boolean, withinMs: number): Promise<readonly string[]> {
  const giveUpAt = performance.now() + withinMs
  while (!isMore()) {
    if (performance.now() > giveUpAt) return ['no more turns end']
    await delay(50)
  }
  return []
}

/** A node opens up to 14 connections, and one more for a moment. */
const MOST_CONNECTIONS = 15 * NODES

async function findLeftovers(url: string): Promise<readonly string[]> {
  const [row] = await query(
    url,
    `SELECT (SELECT count(*)::int4 FROM polylogue.sessions WHERE wanted_since IS NOT NULL) AS wanted,
      (SELECT count(*)::int4 FROM polylogue.draft_parts) AS drafts,
      (SELECT count(*)::int4 FROM pg_stat_activity WHERE application_name LIKE 'polylogue%') AS connections`,
  )
  const { wanted, drafts, connections } = row ?? {}
  return [
    ...(wanted === 0 ? [] : [`${String(wanted)} sessions still wait for a runner`]),
    ...(drafts === 0 ? [] : [`${String(drafts)} parts of drafts remain`]),
    ...(Number(connections) <= MOST_CONNECTIONS ? [] : [`the nodes hold ${String(connections)} connections`]),
  ]
}
