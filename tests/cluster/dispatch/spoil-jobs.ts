// Turns of a web node, whose jobs of pg-boss are lost or doubled: triggers on its tables do that.
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { NEXT, call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { createTestDatabase, query } from '../../support/test-database.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from '../support/nodes.ts'

/** A web node and two workers. */
export interface JobStage {
  readonly url: string
  readonly nodes: Nodes
  readonly web: ServerProcess
  remove(): Promise<void>
}

export async function startJobStage(): Promise<JobStage> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url)
  const [web] = await Promise.all(
    (['web', 'worker', 'worker'] as const).map((role, index) =>
      nodes.start(`${role}-${index}`, { flags: ['--role', role] }),
    ),
  )
  if (web === undefined) throw new Error('no node')
  return {
    ...{ url: database.url, nodes, web },
    async remove() {
      await nodes.remove()
      await database.drop()
    },
  }
}

/** Runs whenever a job of a turn is stored. */
async function onJob(url: string, when: 'BEFORE' | 'AFTER', body: string): Promise<void> {
  await query(
    url,
    `CREATE OR REPLACE FUNCTION public.on_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
     DROP TRIGGER IF EXISTS on_job ON polylogue_jobs.job;
     CREATE TRIGGER on_job ${when} INSERT ON polylogue_jobs.job FOR EACH ROW WHEN (NEW.name = 'turns')
       EXECUTE FUNCTION public.on_job()`,
  )
}

export const loseJobs = ({ url }: JobStage): Promise<void> => onJob(url, 'BEFORE', 'RETURN NULL;')

export async function tripleJobs({ url }: JobStage): Promise<void> {
  await query(url, 'CREATE TABLE public.copies AS SELECT 0 AS made')
  await onJob(
    url,
    'AFTER',
    `IF pg_trigger_depth() = 1 THEN
       INSERT INTO polylogue_jobs.job (name, data) SELECT 'turns', NEW.data FROM generate_series(1, 2);
       UPDATE public.copies SET made = made + 2;
     END IF;
     RETURN NULL;`,
  )
}

export async function copiesMade({ url }: JobStage): Promise<number> {
  return Number((await query(url, 'SELECT made FROM public.copies'))[0]?.['made'])
}

export interface RanTurns {
  /** How often the one call of each turn ran. */
  readonly times: readonly number[]
  /** The longest time from an admission until the turn began. */
  readonly slowestMs: number
}

/** Each session calls a tool once. So many run at the same time. */
export async function runTurns({ url, web, nodes }: JobStage, count: number): Promise<RanTurns> {
  const ran = await Promise.all(
    Array.from({ length: count }, async () => {
      const run = nodes.counting.nextRun()
      const session = await openSession(web.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
      const stream = await session.stream('delta', script(call('c1', 'count', { run }), NEXT, 'say done'))
      const last = (await stream.finished()).at(-1)?.event
      if (last !== 'turn_stop') throw new Error(`the stream ended with ${last}`)
      return { id: session.id, times: await nodes.counting.timesRun(run) }
    }),
  )
  const [row] = await query(
    url,
    `SELECT max(step.at - turn.at) AS slowest FROM polylogue.events AS turn JOIN LATERAL (
       SELECT at FROM polylogue.events AS e WHERE e.user_id = turn.user_id AND e.session_id = turn.session_id
         AND e.type = 'step.started' AND e.seq > turn.seq ORDER BY seq LIMIT 1) AS step ON true
     WHERE turn.type = 'turn.started' AND turn.session_id = ANY ($1)`,
    [ran.map(({ id }) => id)],
  )
  return { times: ran.map(({ times }) => times), slowestMs: Number(row?.['slowest']) }
}
