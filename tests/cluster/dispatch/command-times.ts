// Commands that arrive at one node while another one runs the turn: how long until the runner has acted on them.
import { setTimeout as delay } from 'node:timers/promises'
import { V3 } from '../../support/aap-dialect.ts'
import { openSession } from '../../support/aap-session.ts'
import { NEXT, call, script } from '../../support/script.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { percentile, withNodes, type Dispatched } from './dispatch.ts'

const LOOK_EVERY_MS = 2
/** The first runs while the second waits for an approval, so its node keeps the turn. */
const TOOLS = [
  { name: 'linger', trust: true },
  { name: 'count', trust: false },
]

interface Call {
  readonly sessionId: string
  readonly call: string
}

export interface CommandTimes extends Dispatched {
  /** From an approval until the approved call ran. */
  readonly approved: Times
  /** From a cancel until a client of the runner's node saw the end. */
  readonly cancelled: Times
}

interface Times {
  readonly p50Ms: number
  readonly p99Ms: number
}

export function measureCommands(rounds: number): Promise<CommandTimes> {
  return withNodes(async (nodes) => {
    const [here, there] = [await nodes.start('a'), await nodes.start('b')]
    const complaints: string[] = []
    const [approved, cancelled]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      const [lingering, counted] = [nodes.counting.nextRun(), nodes.counting.nextRun()]
      const session = await openSession(here.client(V3), { agent: 'counting', tools: TOOLS })
      const calls = [call('c1', 'linger', { run: lingering }), call('c2', 'count', { run: counted })]
      const ended = (await session.stream('delta', script(...calls, NEXT, 'say done'))).finished()
      await nodes.untilRun(lingering)
      const approvedAt = performance.now()
      const statuses = [await approve(there, { sessionId: session.id, call: 'c2' })]
      while ((await nodes.counting.timesRun(counted)) === 0) await delay(LOOK_EVERY_MS)
      approved.push(performance.now() - approvedAt)
      const cancelledAt = performance.now()
      statuses.push((await there.client(V3).cancel(session.id)).status)
      const last = (await ended).at(-1)
      cancelled.push(performance.now() - cancelledAt)
      if (statuses.some((status) => status >= 300)) complaints.push(`round ${round}: answered with ${String(statuses)}`)
      if (last?.data['cancelled'] !== true) complaints.push(`round ${round} ended with ${JSON.stringify(last)}`)
      if ((await nodes.counting.timesRun(counted)) !== 1) complaints.push(`round ${round}: the call ran twice`)
    }
    return { complaints, approved: timesOf(approved), cancelled: timesOf(cancelled) }
  })
}

async function approve(node: ServerProcess, { sessionId, call: id }: Call): Promise<number> {
  const answer = await fetch(`${node.url}/api/polylogue/sessions/${sessionId}/calls/${id}/approval`, {
    method: 'POST',
    headers: { authorization: `Bearer ${node.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ granted: true }),
  })
  return answer.status
}

function timesOf(took: readonly number[]): Times {
  return { p50Ms: Math.round(percentile(took, 0.5)), p99Ms: Math.round(percentile(took, 0.99)) }
}
