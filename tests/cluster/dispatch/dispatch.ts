// Turns that wait for a node, are handed to another one, or find no room.
import { setTimeout as delay } from 'node:timers/promises'
import { vi } from 'vitest'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { createTestDatabase, query } from '../../support/test-database.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from '../support/nodes.ts'

export interface Dispatched {
  readonly complaints: readonly string[]
}

/** As long as a thousand turns take on a slow machine. */
export const until = <T>(look: () => Promise<T | undefined>, what: string): Promise<T> =>
  vi.waitFor(
    async () => {
      const found = await look()
      if (found === undefined) throw new Error(`timed out waiting for: ${what}`)
      return found
    },
    { timeout: 200_000, interval: 100 },
  )

export async function withNodes<T>(act: (nodes: Nodes, url: string) => Promise<T>, configFile?: string): Promise<T> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url, configFile)
  try {
    return await act(nodes, database.url)
  } finally {
    await nodes.remove()
    await database.drop()
  }
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? Number.NaN

/** A web node admits turns, which begin on a worker: how long after the admission. */
export function measureStarts(turns: number): Promise<Dispatched & { readonly p50Ms: number; readonly p99Ms: number }> {
  return withNodes(async (nodes, url) => {
    const web = await nodes.start('web', { flags: ['--role', 'web'] })
    const worker = await nodes.start('worker', { flags: ['--role', 'worker'] })
    const session = await openSession(web.client(V3), { agent: 'counting' })
    const complaints: string[] = []
    for (let turn = 0; turn < turns; turn++) {
      const { stopReason } = await session.turn(`say ${turn}`)
      if (stopReason !== 'end_turn') complaints.push(`turn ${turn} ended with ${stopReason}`)
    }
    const rows = await query(
      url,
      `SELECT type, at FROM polylogue.events WHERE session_id = $1 AND type IN ('turn.started', 'step.started') ORDER BY seq`,
      [session.id],
    )
    const delays = rows.flatMap(({ type, at }, index) =>
      type === 'step.started' ? [Number(at) - Number(rows[index - 1]?.['at'])] : [],
    )
    if (delays.length !== turns) complaints.push(`${delays.length} of ${turns} turns began`)
    // The web node may not run turns, so all of them ran on the worker.
    complaints.push(...(await workerServesNobody(worker)))
    return { complaints, p50Ms: percentile(delays, 0.5), p99Ms: percentile(delays, 0.99) }
  })
}

async function workerServesNobody(worker: ServerProcess): Promise<readonly string[]> {
  const { status } = await worker.client(V3).list()
  return status === 404 ? [] : [`the worker answers a client with ${status}`]
}

export interface Full extends Dispatched {
  readonly accepted: number
}

/** One user may have a thousand running turns. */
const USERS = 4
const REFUSED = 5

/** No node runs turns until new ones are refused. Then workers come: what was accepted runs, once, and nothing else. */
export function fillCluster({ most, isOld }: { readonly most: number; readonly isOld: boolean }): Promise<Full> {
  return withNodes(async (nodes, url) => {
    const web = await nodes.start('web', { flags: ['--role', 'web'] })
    const keys = await Promise.all(Array.from({ length: USERS }, (_, user) => web.createKey(`user-${user}`)))
    const accepted: string[] = []
    let asked = 0
    const begin = async (): Promise<string> => {
      const client = web.client(V3, keys[asked++ % USERS])
      const { id } = await openSession(client, { agent: 'counting' })
      const stream = await client.streamTurn(id, { stream: 'delta', messages: [{ role: 'user', content: 'say it' }] })
      if (stream.status === 200) accepted.push(id)
      stream.cut()
      return `${stream.status}, to be repeated after ${stream.headers['retry-after']} s`
    }
    const complaints: string[] = []
    let last = '200'
    while (accepted.length < most && last.startsWith('200')) last = await begin()
    if (isOld) {
      // The backlog is read once a second.
      await query(
        url,
        'UPDATE polylogue.sessions SET wanted_since = wanted_since - 31000 WHERE wanted_since IS NOT NULL',
      )
      last = await until(async () => {
        const answer = await begin()
        return answer.startsWith('503') ? answer : undefined
      }, 'a turn is refused')
    }
    const refused = [last]
    while (refused.length < REFUSED) refused.push(await begin())
    for (const answer of refused)
      if (answer !== '503, to be repeated after 2 s') complaints.push(`a turn got ${answer}`)
    const count = async (type: string): Promise<number> =>
      Number((await query(url, 'SELECT count(*) AS n FROM polylogue.events WHERE type = $1', [type]))[0]?.['n'])
    for (const type of ['turn.started', 'input.admitted'])
      if ((await count(type)) !== accepted.length) complaints.push(`${await count(type)} times ${type} is stored`)
    if ((await count('step.started')) > 0) complaints.push('a turn began at a node that runs none')
    await Promise.all(['one', 'two'].map((name) => nodes.start(name, { flags: ['--role', 'worker'] })))
    const ended = `SELECT session_id FROM polylogue.events WHERE type = 'turn.ended' AND data::jsonb ->> 'outcome' = 'finished'`
    await until(async () => ((await query(url, ended)).length >= accepted.length ? true : undefined), 'all turns end')
    const ran = (await query(url, ended)).map((row) => String(row['session_id']))
    if (ran.toSorted().join() !== accepted.toSorted().join()) complaints.push('other turns ended than were accepted')
    if ((await count('step.started')) !== accepted.length) complaints.push('a turn ran twice')
    last = await until(async () => {
      const answer = await begin()
      return answer.startsWith('200') ? answer : undefined
    }, 'turns are accepted again')
    return { complaints, accepted: accepted.length }
  })
}

/** A node with running turns is told to stop at once. Another one continues them. */
export function drainTo(turns: number): Promise<Dispatched & { readonly tookMs: number }> {
  return withNodes(async (nodes, url) => {
    const a = await nodes.start('a')
    await nodes.start('b')
    const ids: string[] = []
    const runs: string[] = []
    for (let turn = 0; turn < turns; turn++) {
      const session = await openSession(a.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
      const run = nodes.counting.nextRun()
      const stream = await session.stream('delta', script(call('c1', 'linger', { run })))
      stream.finished().catch(() => undefined)
      await nodes.untilRun(run)
      ids.push(session.id)
      runs.push(run)
    }
    const stopped = a.stop()
    await delay(100)
    const toldAt = Number((await query(url, 'SELECT polylogue.now_ms() AS at'))[0]?.['at'])
    process.kill(a.pid, 'SIGTERM')
    const complaints = (await stopped) === 0 ? [] : ['the node did not exit with 0']
    const types = `SELECT session_id, type, at FROM polylogue.events WHERE session_id = ANY ($1) ORDER BY session_id, seq`
    const rows = await until(async () => {
      const found = await query(url, types, [ids])
      return found.filter(({ type }) => type === 'turn.ended').length === turns ? found : undefined
    }, 'all turns end')
    const next = rows.flatMap(({ type }, index) =>
      type === 'turn.handed-over' ? [Number(rows[index + 1]?.['at'])] : [],
    )
    if (next.length !== turns) complaints.push(`${next.length} of ${turns} turns were handed over`)
    const times = await Promise.all(runs.map((run) => nodes.counting.timesRun(run)))
    if (times.some((count) => count !== 1)) complaints.push('an unsafe call was repeated')
    return { complaints, tookMs: Math.max(...next) - toldAt }
  })
}
