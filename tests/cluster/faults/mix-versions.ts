// A node of a later version beside one that cannot read its newest events.
import { V3 } from '../../support/aap-dialect.ts'
import { attachSession, openSession } from '../../support/aap-session.ts'
import { NEXT, call, script } from '../../support/script.ts'
import { createTestDatabase, query } from '../../support/test-database.ts'
import { attachToolSession } from '../../tools/tool-session.ts'
import { COUNTING_TOOLS, prepareNodes } from '../support/nodes.ts'
import type { Rounds } from './database-faults.ts'

/** The later version has a new kind of `session.configured`. */
export const LATER = { POLYLOGUE_FAILPOINTS: 'level:2:session.configured' }
const REFUSED = /503.*a node of an older version is still running and cannot read this/

/** Each round is an update: the older node ends, and one comes back. Returns what does not hold. */
export async function mixVersions({ rounds }: Rounds): Promise<readonly string[]> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url)
  const complaints: string[] = []
  try {
    const newer = await nodes.start('newer', { environment: LATER })
    for (let round = 0; round < rounds; round++) {
      const complain = (what: string): void => void complaints.push(`round ${round}: ${what}`)
      const older = await nodes.start('older')
      const session = await openSession(newer.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
      const settings = attachToolSession(newer, session.id)
      const isStored = async (): Promise<boolean> =>
        (await settings.events()).some(({ event }) => event.type === 'session.configured')
      const early = await settings.change({ preset: 'read-only' }).then(() => 'accepted', String)
      if (!REFUSED.test(early)) complain(`beside the older node, the new event is ${early}`)
      if (await isStored()) complain('the refused event is stored')
      await older.stop()
      await settings.change({ preset: 'read-only' })
      await settings.change({ preset: 'workspace-write' })
      if (!(await isStored())) complain('the new event is not stored')

      // A turn that the older node admits runs on the newer one.
      const again = await nodes.start('older')
      const run = nodes.counting.nextRun()
      const turn = script(call('c1', 'count', { run }), NEXT, 'say done')
      await attachSession(again.client(V3), session.id).turn(turn)
      if ((await nodes.counting.timesRun(run)) !== 1) complain('the call did not run once')
      const [claimed] = await query(
        database.url,
        `SELECT polylogue.claim_session($1, (SELECT node_id FROM polylogue.nodes WHERE pid = $2), 5000) AS epoch`,
        [session.id, again.pid],
      )
      if (claimed?.['epoch'] !== null) complain('the older node may claim the session')
      await again.stop()
    }
  } finally {
    await nodes.remove()
    await database.drop()
  }
  return complaints
}
