import { asSessionId, type SharedState } from '@polylogue/engine'
import { integerIn, textIn, type Row } from '@polylogue/store-rows'
import type pg from 'pg'
import { processIdOf } from './connect.ts'
import { LIST_NODES, nodeIn } from './postgres-nodes.ts'

/** The settings that decide what survives a crash, and how many nodes fit. */
const SETTINGS = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'synchronous_standby_names',
  'max_connections',
] as const

type Ask = (text: string) => Promise<readonly Row[]>

/** What an operator of several nodes wants to know. Reads only. */
export async function inspectShared(client: pg.Client, ask: Ask): Promise<SharedState> {
  const values = SETTINGS.map((name) => `current_setting('${name}') AS ${name}`).join(', ')
  const [settings = {}] = await ask(`SELECT ${values}, pg_is_in_recovery() AS is_standby, pg_backend_pid() AS pid`)
  const [connections = {}] = await ask('SELECT count(*)::int8 AS count FROM pg_stat_activity')
  const [backlog = {}] = await ask('SELECT * FROM polylogue.backlog()')
  const parked = await ask('SELECT session_id FROM polylogue.sessions WHERE claims >= 5 ORDER BY session_id LIMIT 100')
  const standbys =
    await ask(`SELECT coalesce(application_name, '') AS name, coalesce(sync_state, 'unknown') AS sync_state,
    coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn), 0)::int8 AS lag FROM pg_stat_replication
    WHERE NOT pg_is_in_recovery() ORDER BY 1`)
  const agreed = Map.groupBy(
    await ask('SELECT name, unnest(known) AS value FROM polylogue.settings ORDER BY 1, 2'),
    (row) => textIn(row, 'name'),
  )
  return {
    settings: SETTINGS.map((name) => ({ name, value: textIn(settings, name) })),
    isStandby: settings['is_standby'] === true,
    isPooled: processIdOf(client) !== settings['pid'],
    connections: integerIn(connections, 'count'),
    nodes: (await ask(LIST_NODES)).map(nodeIn),
    backlog: { waiting: integerIn(backlog, 'waiting'), oldestMs: integerIn(backlog, 'oldest_ms') },
    parked: parked.map((row) => asSessionId(textIn(row, 'session_id'))),
    standbys: standbys.map((row) => ({
      name: textIn(row, 'name'),
      isSynchronous: ['sync', 'quorum'].includes(textIn(row, 'sync_state')),
      lagBytes: integerIn(row, 'lag'),
    })),
    agreed: new Map([...agreed].map(([name, rows]) => [name, rows.map((row) => textIn(row, 'value'))])),
  }
}
