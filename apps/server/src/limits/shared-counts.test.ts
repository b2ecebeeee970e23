import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { asUserId } from '@polylogue/engine'
import { createFakeClock, createMemoryCluster, untilQuiet } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { createFailureLimit } from '../auth/failure-limit.ts'
import { createOpenReads } from './open-reads.ts'
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
    const k = { keyId: 'k', userId: asUserId('ada') }
    const other = { keyId: 'other', userId: asUserId('ada') }
    const leave = there.enter(k)
    there.enter(k)
    await pass(1_000)
    expect(() => here.enter(k)).toThrow('which is the limit')
    here.enter(other)
    leave()
    await pass(1_000)
    here.enter(k)()
    cluster.cut('a')
    await pass(4_000)
    here.enter(k)
    here.enter(k)
  })

  it('large answers that a user reads at one node count at the other: the next one waits, and is refused when that takes long', async () => {
    const { clock, pass, a, b } = startNodes()
    const refused: string[] = []
    const open = (shared: SharedCounts) =>
      createOpenReads({ perUser: 2, clock, shared, refused: (limit) => void refused.push(limit) })
    const [there, here] = [open(a), open(b)]
    const [ada, bob] = [asUserId('ada'), asUserId('bob')]
    const [first, second] = [new PassThrough(), new PassThrough()]
    await there.enter(ada, first)
    await there.enter(ada, second)
    await pass(1_000)
    await here.enter(bob, new PassThrough())

    const waiting = here.enter(ada, new PassThrough()).then(
      () => 'in',
      (error: unknown) => String(error),
    )
    for (let second = 0; second < 11; second++) await pass(1_000)
    expect(await waiting).toContain('2 large answers are being read at the same time')
    expect(refused).toEqual(['reads'])

    const next = here.enter(ada, new PassThrough())
    first.destroy()
    await once(first, 'close')
    await pass(1_000)
    await next
    expect(refused).toEqual(['reads'])
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
