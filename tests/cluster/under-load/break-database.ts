// What happens to a cluster whose database stands still, dies, or loses answers, while clients work.
import { setTimeout as delay } from 'node:timers/promises'
import { createSeededRandom } from '../../storage-faults/seeded-random.ts'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { NEXT, call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { query } from '../../support/test-database.ts'
import { startFreezingProxy } from '../support/freezing-proxy.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from '../support/nodes.ts'
import { startLoad } from './load.ts'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'

const SESSIONS = 8
/** A node waits for seven seconds at most. Its clients share the cores with it. */
const REFUSED_WITHIN_MS = 14_000

export interface Broken {
  readonly turns: number
  readonly complaints: readonly string[]
}

interface Stage {
  readonly postgres: OwnPostgres
  readonly nodes: Nodes
  readonly running: readonly [ServerProcess, ServerProcess]
}

/** Two nodes on a server of their own, under load. */
async function onStage(act: (stage: Stage) => Promise<readonly string[]>): Promise<Broken> {
  const postgres = await startOwnPostgres()
  const nodes = await prepareNodes(postgres.url)
  try {
    const running = [await nodes.start('a'), await nodes.start('b')] as const
    const { counting } = nodes
    const { key } = running[0]
    const load = await startLoad({ nodes: () => running, key, url: postgres.url, counting, sessions: SESSIONS })
    const complaints = await act({ postgres, nodes, running })
    return { complaints: [...complaints, ...(await load.finish())], turns: load.turns }
  } finally {
    await nodes.remove()
    await postgres.stop()
  }
}

export interface FreezePlan {
  readonly pausesMs: readonly number[]
  /** One second is promised, on a machine with nothing else to do. */
  readonly cancelWithinMs: number
}

/** F6: every process of the database stands still. */
export function freezeDatabase({ pausesMs, cancelWithinMs }: FreezePlan): Promise<Broken> {
  return onStage(async ({ postgres, nodes, running: [a, b] }) => {
    const complaints: string[] = []
    for (const [round, ms] of pausesMs.entries()) {
      const complain = (what: string): void => void complaints.push(`pause ${round} of ${ms} ms: ${what}`)
      const session = await openSession(a.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
      const run = nodes.counting.nextRun()
      const stream = await session.stream('delta', script(call('c1', 'linger', { run }), NEXT, 'say done'))
      const ended = stream.finished().catch(() => undefined)
      await nodes.untilRun(run)
      await postgres.freeze(ms, async () => {
        const askedAt = performance.now()
        const cancelled = await a
          .client(V3, a.key)
          .cancel(session.id)
          .then(({ status }) => status, String)
        const tookMs = Math.round(performance.now() - askedAt)
        if (cancelled !== 202) complain(`the cancel is answered with ${cancelled}`)
        if (tookMs > cancelWithinMs) complain(`the cancel took ${tookMs} ms`)
        if (ms < 5_000) return
        const body = { agent: { name: 'counting' } }
        const createdAt = performance.now()
        const refused = await b
          .client(V3, a.key)
          .create(body)
          .then(({ status, headers }) => `${status}, to be repeated after ${headers['retry-after']} s`, String)
        const refusedMs = Math.round(performance.now() - createdAt)
        if (refused !== '503, to be repeated after 2 s') complain(`a new session gets ${refused}`)
        if (refusedMs > REFUSED_WITHIN_MS) complain(`a new session is refused after ${refusedMs} ms only`)
      })
      await ended
      const frames = await untilRead(b, a.key, session.id)
      if (frames.at(-1) !== 'turn_stop') complain(`the turn ended with ${frames.join(' ')}`)
    }
    return complaints
  })
}

/** The events of a turn, from a node that reaches the database again. */
async function untilRead(node: ServerProcess, key: string, id: string): Promise<readonly string[]> {
  for (;;) {
    const stream = await node
      .client(V3, key)
      .events(id, '?after=0')
      .catch(() => undefined)
    const frames = stream?.status === 200 ? await stream.finished().catch(() => undefined) : undefined
    if (frames !== undefined) return frames.map(({ event }) => event)
    await delay(100)
  }
}

/** F7: the database is killed and started again; then single connections are. */
export function killDatabase(plan: { readonly restarts: number; readonly backends: number }): Promise<Broken> {
  return onStage(async ({ postgres }) => {
    for (let restart = 0; restart < plan.restarts; restart++) {
      await postgres.restart()
      await delay(500)
    }
    for (let killed = 0; killed < plan.backends; killed++) {
      await query(
        postgres.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
      )
      await delay(20)
    }
    return []
  })
}

/** F8: the database stores what it was given, and its answer is lost. The client sees success, and one turn. */
export async function loseAnswers(url: string, plan: { readonly answers: number; readonly seed: string }) {
  const random = createSeededRandom(plan.seed)
  const proxy = await startFreezingProxy(url)
  const nodes = await prepareNodes(url)
  const complaints: string[] = []
  let lost = 0
  try {
    const node = await nodes.start('a', { database: proxy.url })
    while (lost < plan.answers) {
      const session = await openSession(node.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
      const run = nodes.counting.nextRun()
      const said = `said-${run}`
      // In the append of the input, of the call's result, and of the answer.
      const text = random.pick([run, `counted ${run}`, said])
      const losing = proxy.loseAnswerTo(text)
      const content = script(call('c1', 'count', { run }), NEXT, `say ${said}`)
      const answer = await node.client(V3).turn(session.id, { messages: [{ role: 'user', content }] })
      await losing
      lost += 1
      const history = JSON.stringify(await session.history())
      const times = await nodes.counting.timesRun(run)
      if (answer.status !== 200) complaints.push(`${text}: answered with ${answer.status} ${answer.text}`)
      if (times !== 1) complaints.push(`${text}: the tool ran ${times} times`)
      if (history.split(`counted ${run}`).length !== 2) complaints.push(`${text}: the history is ${history}`)
    }
  } finally {
    await nodes.remove()
    proxy.close()
  }
  return { lost, complaints }
}
