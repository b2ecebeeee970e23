import { createFakeClock, createMemoryCluster, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createFailureLimit } from '../auth/failure-limit.ts'
import { createOpenStreams } from './open-streams.ts'
import { createRateLimit } from './rate-limit.ts'
import { SharedCounts } from './shared-counts.ts'

function startNodes() {
  const clock = createFakeClock()
  const cluster = createMemoryCluster(clock)
  const join = (nodeId: string) => new SharedCounts(cluster.join(nodeId).bus, clock)
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms)
    await untilQuiet()
  }
  return { clock, cluster, pass, a: join('a'), b: join('b') }
}

describe('limits that several nodes count together', () => {
  it('a rate that was taken at one node is taken at the other a second later, and fills again', async () => {
    const { clock, pass, a, b } = startNodes()
    const [there, here] = [a, b].map((node) => node.share('prompts', createRateLimit(60, clock)))
    for (let round = 0; round < 60; round++) expect(there?.take('ada')).toBe(0)
    expect(here?.take('bob')).toBe(0)
    await pass(1_000)
    expect(here?.take('ada')).toBeGreaterThan(0)
    await pass(2_000)
    expect(here?.take('ada')).toBe(0)
  })

  it('streams that a key has open at one node count at the other, until they close or the node is gone', async () => {
    const { cluster, pass, a, b } = startNodes()
    const open = (shared: SharedCounts) =>
      createOpenStreams({ perKey: 2, total: 100, shared, refused: () => undefined })
    const [there, here] = [open(a), open(b)]
    const leave = there.enter('k')
    there.enter('k')
    await pass(1_000)
    expect(() => here.enter('k')).toThrow('which is the limit')
    here.enter('other')
    leave()
    await pass(1_000)
    here.enter('k')()
    cluster.cut('a')
    await pass(4_000)
    here.enter('k')
    here.enter('k')
  })

  it('wrong keys of an address at one node count at the other', async () => {
    const { clock, pass, a, b } = startNodes()
    const [there, here] = [a, b].map((shared) => createFailureLimit({ clock, shared }))
    for (let round = 0; round < 10; round++) there?.record('192.0.2.1')
    expect(here?.retryAfter('192.0.2.1')).toBe(0)
    await pass(1_000)
    expect(here?.retryAfter('192.0.2.1')).toBeGreaterThan(0)
    expect(here?.retryAfter('192.0.2.99')).toBe(0)
  })

  it('nodes that count nothing are silent', async () => {
    const { cluster, pass } = startNodes()
    await pass(60_000)
    expect(cluster.sent).toEqual([])
  })
})
