import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findAccount, findPrograms, launch, startPostgres, type StartedPostgres } from '../house/start-postgres.ts'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import { eventually } from '../support/eventually.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'

let primary: StartedPostgres
let standby: StartedPostgres['process'] | undefined
let nodes: Nodes

beforeAll(async () => {
  primary = await startPostgres()
  nodes = await prepareNodes(primary.url)
})
afterAll(async () => {
  await nodes.remove()
  if (standby?.kill('SIGQUIT') === true) await once(standby, 'exit')
  await primary.stop()
})

function writeForServer(file: string, text: string): void {
  writeFileSync(file, text)
  const account = findAccount()
  if (account !== undefined) chownSync(file, account.uid, account.gid)
}

/** A base backup: the database as it is now, which knows nothing of later commits. */
async function copyDatabase(): Promise<string> {
  const [data, copy] = [join(primary.directory, 'data'), join(primary.directory, 'copy')]
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  await client.query("SELECT pg_backup_start('copy', true)")
  // Files may vanish meanwhile. The write-ahead log makes up for it.
  spawnSync('cp', ['-a', data, copy])
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
  await client.end()
  rmSync(join(copy, 'pg_wal'), { recursive: true })
  spawnSync('cp', ['-a', join(data, 'pg_wal'), join(copy, 'pg_wal')])
  rmSync(join(copy, 'postmaster.pid'))
  writeForServer(join(copy, 'backup_label'), rows[0]?.labelfile ?? '')
  return copy
}

it(
  'cluster 41: after a failover that lost the newest commits, nodes read their sessions again',
  { timeout: 90_000 },
  async () => {
    const node = await nodes.start('a')
    const session = await openSession(node.client(V3), { agent: 'counting' })
    await session.turn('say kept')
    const copy = await copyDatabase()
    await session.turn('say lost')
    const readAfter = (id: string) => node.client(V3).events(session.id, `?after=${id}`)
    const first = await (await readAfter('0')).finished()
    const lost = await (await readAfter(first.at(-1)?.id ?? '')).finished()
    expect(JSON.stringify(await session.history())).toContain('lost')

    const died = once(primary.process, 'exit')
    primary.process.kill('SIGQUIT')
    await died
    writeForServer(join(copy, 'recovery.signal'), '')
    appendFileSync(join(copy, 'postgresql.auto.conf'), "\nrestore_command = 'false'\n")
    const port = Number(new URL(primary.url).port)
    standby = await launch(join(findPrograms(), 'postgres'), [copy, port, primary.directory, []], findAccount())

    const history = await eventually(
      () => session.history().then(JSON.stringify, () => undefined),
      'the node answers again',
    )
    expect(history).toContain('kept')
    expect(history).not.toContain('lost')
    await eventually(async () => node.output.includes('the database was replaced') || undefined, 'the node says so')
    // A client that has seen what was lost is told to read the session anew.
    const resumed = await readAfter(lost.at(-1)?.id ?? '')
    await resumed.until(({ event }) => event === 'resync')
    resumed.cut()
    await session.turn('say more')
    expect(JSON.stringify(await session.history())).toMatch(/kept.*more/)
  },
)
