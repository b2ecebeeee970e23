// Nodes that do not reach the database any more, although it works for others.
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { eventually } from '../../support/eventually.ts'
import { NEXT, call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { createTestDatabase } from '../../support/test-database.ts'
import { COUNTING_TOOLS, prepareNodes, type Nodes } from '../support/nodes.ts'
import { startFreezingProxy } from '../support/freezing-proxy.ts'
import type { Rounds } from './database-faults.ts'

export interface CutOff extends Rounds {
  /** So many nodes are cut off at the same time. */
  readonly nodes: number
}

/** Returns what does not hold for the turns of these nodes, which another one continues, and for their clients. */
export async function cutNodesOff({ rounds, nodes: count }: CutOff): Promise<readonly string[]> {
  const database = await createTestDatabase()
  const nodes = await prepareNodes(database.url)
  const complaints: string[] = []
  try {
    const other = await nodes.start('other')
    for (let round = 0; round < rounds; round++) {
      const cuts = Array.from({ length: count }, (_, index) => ({ ...{ nodes, other }, name: `cut-${index}` }))
      const found = await Promise.all(cuts.map((one) => cutOff(one, database.url)))
      complaints.push(...found.flat().map((what) => `round ${round}, ${what}`))
    }
  } finally {
    await nodes.remove()
    await database.drop()
  }
  return complaints
}

interface Cut {
  readonly nodes: Nodes
  readonly other: ServerProcess
  readonly name: string
}

async function cutOff({ nodes, other, name }: Cut, url: string): Promise<readonly string[]> {
  const complaints: string[] = []
  const complain = (what: string): void => void complaints.push(`${name}: ${what}`)
  const proxy = await startFreezingProxy(url)
  const node = await nodes.start(name, { database: proxy.url })
  const session = await openSession(node.client(V3), { agent: 'counting', tools: COUNTING_TOOLS })
  const run = nodes.counting.nextRun()
  const own = await session.stream('delta', script(call('c1', 'linger', { run }), NEXT, 'say done'))
  const cut = own.finished().then(
    () => false,
    () => true,
  )
  await nodes.untilRun(run)
  proxy.freeze()
  const frames = await (await other.client(V3).events(session.id, '?after=0')).finished()
  if (frames.at(-1)?.event !== 'turn_stop') complain(`the other node shows the end ${frames.at(-1)?.event}`)
  const history = JSON.stringify(await other.client(V3).history(session.id, 'full'))
  if (!/Outcome unknown.*done/.test(history)) complain(`the history is ${history}`)
  if (!(await cut)) complain('its client was not let go')
  await eventually(async () => node.output.includes('running turns stop') || undefined, 'the node says why')
  const readiness = (await fetch(`${node.url}/readyz`)).status
  const { status } = await node.client(V3).get(session.id)
  if (readiness !== 503 || status !== 503) complain(`it answers ${readiness} and ${status}`)
  if ((await nodes.counting.timesRun(run)) !== 1) complain('the unsafe call ran again')
  await node.kill()
  proxy.close()
  return complaints
}
