import { asSessionId, asUserId, type Stores } from '@polylogue/engine'
import { createSeededRandom } from '../../storage-faults/seeded-random.ts'
import { V3 } from '../../support/aap-dialect.ts'
import { attachSession, openSession } from '../../support/aap-session.ts'
import { NEXT, call, script } from '../../support/script.ts'
import type { TestServer } from '../../support/test-server.ts'
import { readWholeLog } from '../../support/read-whole-log.ts'

export interface TurnsEverywhere {
  readonly nodes: readonly TestServer[]
  readonly stores: Stores
  readonly turns: number
  readonly seed: string
}

const SESSIONS = 15

/** Turns of some sessions, each turn at any node. Returns the sessions whose usage is not the sum of their log. */
export async function runTurnsEverywhere({ nodes, stores, turns, seed }: TurnsEverywhere): Promise<readonly string[]> {
  const random = createSeededRandom(seed)
  const user = `user-${seed}`
  const [first] = nodes
  if (first === undefined) throw new Error('no node')
  const key = await first.createKey(user)
  const tools = [{ name: 'echo', trust: true }]
  const opened = Array.from({ length: SESSIONS }, () => openSession(first.client(V3, key), { tools }))
  const ids = (await Promise.all(opened)).map(({ id }) => id)
  const plans = ids.map(() => Array.from({ length: Math.ceil(turns / SESSIONS) }, () => random.int(1e9)))
  await Promise.all(
    ids.map(async (id, index) => {
      for (const choice of plans[index] ?? []) {
        const node = nodes[choice % nodes.length]
        const steps = Array.from({ length: choice % 3 }, (_, step) => call(`c${choice}-${step}`, 'echo', { msg: 'x' }))
        const lines = [...steps, `say ${choice}`].flatMap((line) => [line, NEXT]).slice(0, -1)
        if (node) await attachSession(node.client(V3, key), id).turn(script(...lines))
      }
    }),
  )
  const sums = await stores.usage.sumUsage({ by: ['session'], userId: asUserId(user), limit: SESSIONS * 2 })
  const complaints: string[] = []
  for (const id of ids) {
    const log = await readWholeLog(stores.events, asSessionId(id))
    const told = log.flatMap(({ event }) => (event.type === 'step.answered' && event.usage ? [event.usage] : []))
    const expected = {
      calls: told.length,
      inputTokens: told.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: told.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    }
    const sum = sums.find(({ sessionId }) => sessionId === id)
    const counted = { calls: sum?.calls, inputTokens: sum?.inputTokens, outputTokens: sum?.outputTokens }
    if (JSON.stringify(counted) !== JSON.stringify(expected)) {
      complaints.push(`${id}: ${JSON.stringify(counted)} is not ${JSON.stringify(expected)}`)
    }
  }
  return complaints
}
