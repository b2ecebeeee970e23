import { asSessionId, type SessionClient } from '@polylogue/engine'
import { createFakeClock, createMemoryCluster, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { ClientsElsewhere } from './clients-elsewhere.ts'

const sessionId = asSessionId('s')
const reader = (door: string): SessionClient => ({ door, since: 1, cursor: 7 })

async function setUp() {
  const clock = createFakeClock()
  const cluster = createMemoryCluster(clock)
  const join = async (nodeId: string, clients: readonly SessionClient[]) => {
    const parts = cluster.join(nodeId)
    await parts.nodes.beat(parts.self, 5_000)
    const elsewhere = new ClientsElsewhere({ ...parts, clock })
    elsewhere.answerWith((asked) => (asked === sessionId ? clients : []))
    return elsewhere
  }
  return { clock, cluster, join }
}

describe('the clients at other nodes', () => {
  it('are told by all of them, without a wait', async () => {
    const { join } = await setUp()
    const here = await join('a', [reader('acp')])
    expect(await here.of(sessionId)).toEqual([])
    await join('b', [reader('blade')])
    await join('c', [])
    const [found, again] = await Promise.all([here.of(sessionId), here.of(sessionId)])
    expect(found).toEqual([reader('blade')])
    expect(again).toEqual(found)
    expect(await here.of(asSessionId('other'))).toEqual([])
  })

  it('of a node that does not answer are left out after half a second', async () => {
    const { clock, cluster, join } = await setUp()
    const here = await join('a', [])
    await join('b', [reader('blade')])
    await join('frozen', [reader('acp')])
    cluster.cut('frozen')
    const asked = here.of(sessionId)
    await untilQuiet()
    clock.advance(500)
    expect(await asked).toEqual([reader('blade')])
  })

  it('are not looked for while no messages pass', async () => {
    const { cluster, join } = await setUp()
    const here = await join('a', [])
    await join('b', [reader('blade')])
    cluster.setUp(false)
    expect(await here.of(sessionId)).toEqual([])
  })
})
