// Clocks that are wrong, tables of jobs that are locked, and a database without room. Each function returns what does not hold.
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { call, script } from '../../support/script.ts'
import { COUNTING_TOOLS } from '../support/nodes.ts'
import { MINUTES_5, type SkewedNodes } from './skewed-nodes.ts'

export interface Rounds {
  readonly rounds: number
}

const textIn = (frames: readonly { readonly data: Readonly<Record<string, unknown>> }[]): string =>
  frames.map(({ data }) => data['delta'] ?? '').join('')

/** Events and slots have the time of the database, however wrong the clocks of the nodes are. */
export async function writeWithWrongClocks(
  { web, admin }: SkewedNodes,
  { rounds }: Rounds,
): Promise<readonly string[]> {
  const complaints: string[] = []
  for (let round = 0; round < rounds; round++) {
    const complain = (what: string): void => void complaints.push(`round ${round}: ${what}`)
    const session = await openSession(web.client(V3), { agent: 'counting' })
    for (const word of ['one', 'two']) {
      const text = textIn(await (await session.stream('delta', `say ${word}`)).finished())
      if (text !== word) complain(`said ${text}`)
    }
    const { rows } = await admin.query<{ at: string; now: string }>(
      'SELECT at, polylogue.now_ms() AS now FROM polylogue.events WHERE session_id = $1 ORDER BY seq',
      [session.id],
    )
    const times = rows.map(({ at }) => Number(at))
    const now = Number(rows[0]?.now)
    if (times.length <= 8) complain(`only ${times.length} events are stored`)
    if (times.some((at, index) => at < (times[index - 1] ?? 0))) complain(`the times do not grow: ${times.join(' ')}`)
    if (times.some((at) => Math.abs(now - at) > MINUTES_5 / 2))
      complain(`it is ${now}, and times are ${times.join(' ')}`)
    const created = await fetch(`${web.url}/api/scheduled-tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${web.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Often', prompt: 'say tick', cron: '* * * * *', timezone: 'UTC', enabled: true }),
    })
    if (created.status !== 201) complain(`a schedule is answered with ${created.status}`)
    const slots = await admin.query<{ slot: string }>('SELECT next_slot_at AS slot FROM polylogue.schedules')
    const ahead = Number(slots.rows[0]?.slot) - now
    if (!(ahead > -60_000 && ahead < 120_000)) complain(`the next slot is ${ahead} ms ahead`)
    await admin.query('DELETE FROM polylogue.schedules')
  }
  return complaints
}

export interface LockedJobs extends Rounds {
  /** Four seconds are promised, on a machine with nothing else to do. */
  readonly withinMs: number
}

/** Nobody can send, take or end a job. */
export async function lockJobs(
  { web, admin }: SkewedNodes,
  { rounds, withinMs }: LockedJobs,
): Promise<readonly string[]> {
  const complaints: string[] = []
  for (let round = 0; round < rounds; round++) {
    const session = await openSession(web.client(V3), { agent: 'counting' })
    const say = async (word: string): Promise<void> => {
      const askedAt = performance.now()
      const text = textIn(await (await session.stream('delta', `say ${word}`)).finished())
      const tookMs = Math.round(performance.now() - askedAt)
      if (text !== word || tookMs > withinMs) complaints.push(`round ${round}: said "${text}" after ${tookMs} ms`)
    }
    await admin.query('BEGIN; LOCK TABLE polylogue_jobs.job IN ACCESS EXCLUSIVE MODE')
    try {
      await say('now')
    } finally {
      await admin.query('ROLLBACK')
    }
    await say('again')
  }
  return complaints
}

/** Nothing can be recorded while a turn runs: it can be read and cancelled, and ends when there is room again. */
export async function fillDisk({ web, nodes, setRoom }: SkewedNodes, { rounds }: Rounds): Promise<readonly string[]> {
  const complaints: string[] = []
  for (let round = 0; round < rounds; round++) {
    const complain = (what: string): void => void complaints.push(`round ${round}: ${what}`)
    const session = await openSession(web.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
    const run = nodes.counting.nextRun()
    const stream = await session.stream('delta', script('say Hello', call('c1', 'linger', { run })))
    const ended = stream.finished()
    ended.catch(() => undefined)
    await nodes.untilRun(run)
    await setRoom(false)
    const refused = await web.client(V3).create({ agent: { name: 'counting' } })
    if (refused.status !== 507) complain(`a new session is answered with ${refused.status}`)
    if (!JSON.stringify(await session.history()).includes('Hello')) complain('the history cannot be read')
    const { status } = await web.client(V3).get(session.id)
    if (status !== 200) complain(`the session is answered with ${status}`)
    // The turn runs on the other node, and stops there although nothing can be recorded.
    const cancelled = await web.client(V3).cancel(session.id)
    if (cancelled.status !== 202) complain(`the cancel is answered with ${cancelled.status}`)
    if (stream.frames.at(-1)?.event === 'turn_stop') complain('the client saw an end that is not stored')
    await setRoom(true)
    const last = (await ended).at(-1)?.event
    if (last !== 'turn_stop') complain(`the stream ends with ${last}`)
    // Nothing could record what became of the call while it was stopped: it is reported as cancelled or as unknown.
    const history = JSON.stringify(await session.history())
    if (!/cancelled|Outcome unknown/.test(history)) complain(`the history is ${history}`)
    if ((await nodes.counting.timesRun(run)) !== 1) complain('the call ran twice')
  }
  return complaints
}
