// A standby becomes the primary and lacks the newest commits.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findAccount, findPrograms, launch, startPostgres } from '../../house/start-postgres.ts'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { eventually } from '../../support/eventually.ts'
import { prepareNodes } from '../support/nodes.ts'
import type { Rounds } from './database-faults.ts'

/** A server that can be replaced by an older copy of itself, at the same address. */
interface ReplaceableServer {
  readonly url: string
  /** A base backup: the database as it is now, which knows nothing of later commits. */
  copy(): Promise<void>
  replace(): Promise<void>
  stop(): Promise<void>
}

async function startReplaceable(): Promise<ReplaceableServer> {
  const { url, directory, process: first, stop } = await startPostgres()
  let server = first
  let data = join(directory, 'data')
  let copies = 0
  let copy = ''
  return {
    url,
    async copy() {
      copy = join(directory, `copy-${++copies}`)
      await copyServer({ url, data, copy })
    },
    async replace() {
      const died = once(server, 'exit')
      server.kill('SIGQUIT')
      await died
      rmSync(data, { recursive: true })
      data = copy
      writeForServer(join(data, 'recovery.signal'), '')
      appendFileSync(join(data, 'postgresql.auto.conf'), "\nrestore_command = 'false'\n")
      const port = Number(new URL(url).port)
      server = await launch(join(findPrograms(), 'postgres'), [data, port, directory, []], findAccount())
    },
    async stop() {
      if (server.exitCode === null && server.kill('SIGQUIT')) await once(server, 'exit')
      await stop()
    },
  }
}

async function copyServer({ url, data, copy }: { readonly url: string; readonly data: string; readonly copy: string }) {
  const client = new pg.Client({ connectionString: url })
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
}

function writeForServer(file: string, text: string): void {
  writeFileSync(file, text)
  const account = findAccount()
  if (account !== undefined) chownSync(file, account.uid, account.gid)
}

/** Returns what does not hold for a node that goes on with the standby, and for a client that has seen what was lost. */
export async function failOver({ rounds }: Rounds): Promise<readonly string[]> {
  const server = await startReplaceable()
  const nodes = await prepareNodes(server.url)
  const complaints: string[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      const node = await nodes.start('a')
      const complain = (what: string): void => void complaints.push(`round ${round}: ${what}`)
      const session = await openSession(node.client(V3), { agent: 'counting' })
      const historyOf = (): Promise<string> => session.history().then(JSON.stringify)
      await session.turn('say kept')
      await server.copy()
      await session.turn('say lost')
      const readAfter = (id: string) => node.client(V3).events(session.id, `?after=${id}`)
      const first = await (await readAfter('0')).finished()
      const lost = await (await readAfter(first.at(-1)?.id ?? '')).finished()
      if (!(await historyOf()).includes('lost')) complain('the second turn is not in the history')

      await server.replace()
      const history = await eventually(() => historyOf().catch(() => undefined), 'the node answers again')
      if (!history.includes('kept') || history.includes('lost')) complain(`the history is ${history}`)
      await eventually(async () => node.output.includes('the database was replaced') || undefined, 'the node says so')
      // A client that has seen what was lost is told to read the session anew.
      const resumed = await readAfter(lost.at(-1)?.id ?? '')
      await resumed.until(({ event }) => event === 'resync')
      resumed.cut()
      await session.turn('say more')
      const after = await historyOf()
      if (!/kept.*more/.test(after)) complain(`the history ends as ${after}`)
      await nodes.killAll()
    }
  } finally {
    await nodes.remove()
    await server.stop()
  }
  return complaints
}
