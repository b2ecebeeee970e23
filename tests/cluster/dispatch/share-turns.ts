// One user has many turns that wait for a node, another one a single turn that came last.
import { fileURLToPath } from 'node:url'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { query } from '../../support/test-database.ts'
import { until, withNodes, type Dispatched } from './dispatch.ts'

/** As many as a node of this configuration runs at a time. */
const WAVE = 8
const configFile = fileURLToPath(new URL('../support/few-slots.config.ts', import.meta.url))

/** Answers which turn of all that of the other user was: the first wave has numbers 1 to 8. */
export function shareTurns(busyTurns: number): Promise<Dispatched & { readonly place: number }> {
  return withNodes(async (nodes, url) => {
    const web = await nodes.start('web', { flags: ['--role', 'web'] })
    const begin = async (key: string): Promise<string> => {
      const client = web.client(V3, key)
      const { id } = await openSession(client, { agent: 'counting' })
      const messages = [{ role: 'user', content: 'say it\nsleep 100' } as const]
      const stream = await client.streamTurn(id, { stream: 'delta', messages })
      stream.cut()
      return id
    }
    const [busy, patient] = [await web.createKey('busy'), await web.createKey('patient')]
    for (let turn = 0; turn < busyTurns; turn++) await begin(busy)
    const waiting = await begin(patient)
    await nodes.start('worker', { flags: ['--role', 'worker'] })
    const asked = `SELECT session_id FROM polylogue.events WHERE type = 'step.started' ORDER BY at, session_id`
    const started = await until(async () => {
      const rows = await query(url, asked)
      return rows.length > busyTurns ? rows.map((row) => String(row['session_id'])) : undefined
    }, 'all turns begin')
    const place = started.indexOf(waiting) + 1
    const complaints = place > WAVE ? [`the turn of the other user was number ${place}`] : []
    if (new Set(started).size !== busyTurns + 1) complaints.push('a turn ran twice')
    return { complaints, place }
  }, configFile)
}
