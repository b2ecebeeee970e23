import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findAccount, findPrograms, launch, startPostgres } from '../../house/start-postgres.ts'

/** A PostgreSQL server that can be frozen, killed and started again. */
export interface OwnPostgres {
  readonly url: string
  /** Every process of the server stands still for this long, then all go on. */
  freeze(ms: number, meanwhile: () => Promise<void>): Promise<void>
  /** Like `pg_ctl stop -m immediate`, then a start. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const { url, directory, process: first, stop } = await startPostgres()
  let server = first
  return {
    url,
    async freeze(ms, meanwhile) {
      // First the one that starts the others: a process that begins after the list was read would go on and serve its client.
      signal(server.pid ?? 0, 'SIGSTOP')
      const pids = await familyOf(server.pid ?? 0)
      for (const pid of pids) signal(pid, 'SIGSTOP')
      try {
        await Promise.all([delay(ms), meanwhile()])
      } finally {
        for (const pid of pids) signal(pid, 'SIGCONT')
      }
    },
    async restart() {
      const ended = once(server, 'exit')
      server.kill('SIGQUIT')
      await ended
      const data = join(directory, 'data')
      const port = Number(new URL(url).port)
      server = await launch(join(findPrograms(), 'postgres'), [data, port, directory, []], findAccount())
    },
    async stop() {
      if (server.exitCode === null && server.kill('SIGQUIT')) await once(server, 'exit')
      await stop()
    },
  }
}

/** A backend may have ended meanwhile. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The process first, so that it starts no others, then its children. */
async function familyOf(pid: number): Promise<readonly number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(
    all.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
      // The name of the program, in parentheses, may contain spaces.
      return Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2])
    }),
  )
  return [pid, ...all.map(Number).filter((_, index) => parents[index] === pid)]
}
