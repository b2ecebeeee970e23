// Turns of a web node, whose jobs of pg-boss are lost or doubled: triggers on its tables do that.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { openSession } from '../support/aap-session.ts'
import type { ServerDatabase } from '../support/databases.ts'
import { NEXT, call, script } from '../support/script.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase, query } from '../support/test-database.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from './support/nodes.ts'

const SESSIONS = 6

let database: ServerDatabase
let nodes: Nodes
let web: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  const roles = ['web', 'worker', 'worker']
  const started = await Promise.all(
    roles.map((role, index) => nodes.start(`${role}-${index}`, { flags: ['--role', role] })),
  )
  if (started[0] === undefined) throw new Error('no node')
  web = started[0]
}, 90_000)
afterAll(async () => {
  await nodes.remove()
  await database.drop()
})

/** Runs whenever a job of a turn is stored. */
async function onJob(when: 'BEFORE' | 'AFTER', body: string): Promise<void> {
  await query(
    database.url,
    `CREATE OR REPLACE FUNCTION public.on_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
     DROP TRIGGER IF EXISTS on_job ON polylogue_jobs.job;
     CREATE TRIGGER on_job ${when} INSERT ON polylogue_jobs.job FOR EACH ROW WHEN (NEW.name = 'turns')
       EXECUTE FUNCTION public.on_job()`,
  )
}

/** Each session calls a tool once. Answers how often each of these calls ran. */
async function runTurns(): Promise<readonly number[]> {
  return Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const run = nodes.counting.nextRun()
      const session = await openSession(web.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
      const stream = await session.stream('delta', script(call('c1', 'count', { run }), NEXT, 'say done'))
      expect((await stream.finished()).at(-1)?.event).toBe('turn_stop')
      return nodes.counting.timesRun(run)
    }),
  )
}

const ONCE = Array.from({ length: SESSIONS }, () => 1)

describe('turns that a web node admits', { timeout: 120_000 }, () => {
  it('cluster 25: begin also if every job is lost, and run once', async () => {
    await onJob('BEFORE', 'RETURN NULL;')
    expect(await runTurns()).toEqual(ONCE)
    expect(await query(database.url, "SELECT FROM polylogue_jobs.job WHERE name = 'turns'")).toEqual([])
  })

  it('cluster 26: run once if every job is delivered three times, to two workers', async () => {
    await query(database.url, 'CREATE TABLE public.copies AS SELECT 0 AS made')
    await onJob(
      'AFTER',
      `IF pg_trigger_depth() = 1 THEN
         INSERT INTO polylogue_jobs.job (name, data) SELECT 'turns', NEW.data FROM generate_series(1, 2);
         UPDATE public.copies SET made = made + 2;
       END IF;
       RETURN NULL;`,
    )
    expect(await runTurns()).toEqual(ONCE)
    const [copies] = await query(database.url, 'SELECT made FROM public.copies')
    expect(Number(copies?.['made'])).toBeGreaterThanOrEqual(2 * SESSIONS)
  })

  it('cluster 66: are never claimed by a worker that lacks their agent, although it gets their jobs', async () => {
    const config = join(nodes.folder, 'other.json')
    await writeFile(config, '{}')
    const lacking = await nodes.start('lacking', { flags: ['--role', 'worker', '--config', config] })
    await query(
      database.url,
      `DROP TRIGGER IF EXISTS on_job ON polylogue_jobs.job;
       CREATE TABLE public.owners (owner text);
       CREATE FUNCTION public.on_claim() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
         $$ BEGIN INSERT INTO public.owners VALUES (NEW.owner); RETURN NULL; END $$;
       CREATE TRIGGER on_claim AFTER UPDATE OF owner ON polylogue.sessions FOR EACH ROW WHEN (NEW.owner IS NOT NULL)
         EXECUTE FUNCTION public.on_claim()`,
    )
    for (let round = 0; round < 3; round++) expect(await runTurns()).toEqual(ONCE)
    const owners = await query(database.url, 'SELECT DISTINCT owner FROM public.owners')
    expect(owners.length).toBeGreaterThan(0)
    expect(owners.filter(({ owner }) => String(owner).startsWith(`${lacking.pid}-`))).toEqual([])
  })
})
