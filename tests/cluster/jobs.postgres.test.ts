// Turns of a web node, whose jobs of pg-boss are lost or doubled. `npm run proof -- dispatch` has more of them.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../support/test-database.ts'
import { copiesMade, loseJobs, runTurns, startJobStage, tripleJobs, type JobStage } from './dispatch/spoil-jobs.ts'

const SESSIONS = 6
const ONCE = Array.from({ length: SESSIONS }, () => 1)

let stage: JobStage
beforeAll(async () => {
  stage = await startJobStage()
}, 90_000)
afterAll(() => stage.remove())

describe('turns that a web node admits', { timeout: 120_000 }, () => {
  it('cluster 25: begin also if every job is lost, and run once', async () => {
    await loseJobs(stage)
    expect((await runTurns(stage, SESSIONS)).times).toEqual(ONCE)
    expect(await query(stage.url, "SELECT FROM polylogue_jobs.job WHERE name = 'turns'")).toEqual([])
  })

  it('cluster 26: run once if every job is delivered three times, to two workers', async () => {
    await tripleJobs(stage)
    expect((await runTurns(stage, SESSIONS)).times).toEqual(ONCE)
    expect(await copiesMade(stage)).toBeGreaterThanOrEqual(2 * SESSIONS)
  })

  it('cluster 66: are never claimed by a worker that lacks their agent, although it gets their jobs', async () => {
    const config = join(stage.nodes.folder, 'other.json')
    await writeFile(config, '{}')
    const lacking = await stage.nodes.start('lacking', { flags: ['--role', 'worker', '--config', config] })
    await query(
      stage.url,
      `DROP TRIGGER IF EXISTS on_job ON polylogue_jobs.job;
       CREATE TABLE public.owners (owner text);
       CREATE FUNCTION public.on_claim() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
         $$ BEGIN INSERT INTO public.owners VALUES (NEW.owner); RETURN NULL; END $$;
       CREATE TRIGGER on_claim AFTER UPDATE OF owner ON polylogue.sessions FOR EACH ROW WHEN (NEW.owner IS NOT NULL)
         EXECUTE FUNCTION public.on_claim()`,
    )
    for (let round = 0; round < 3; round++) expect((await runTurns(stage, SESSIONS)).times).toEqual(ONCE)
    const owners = await query(stage.url, 'SELECT DISTINCT owner FROM public.owners')
    expect(owners.length).toBeGreaterThan(0)
    expect(owners.filter(({ owner }) => String(owner).startsWith(`${lacking.pid}-`))).toEqual([])
  })
})
