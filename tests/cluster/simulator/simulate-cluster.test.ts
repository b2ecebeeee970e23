import { describe, expect, it } from 'vitest'
import { PLANTED_BUGS } from './planted-bugs.ts'
import { createRandom } from './random.ts'
import { createFates, simulateCluster } from './simulate-cluster.ts'

/** Models that speak slowly. */
const SLOW = { wordMs: 3_000 }
const speechOf = (seed: number): { readonly wordMs?: number } => (seed % 10 === 0 ? SLOW : {})

describe('a cluster with lost, doubled and late messages, and nodes that die and freeze', () => {
  it(
    'cluster 50: keeps everything it acknowledged, and all nodes see what the log says, with 200 seeds',
    { timeout: 300_000 },
    async () => {
      for (let seed = 1; seed <= 200; seed++)
        expect({ seed, problems: await simulateCluster(seed, speechOf(seed)) }).toEqual({ seed, problems: [] })
    },
  )

  it('cluster 36: a node that wakes from a freeze leaves the steps of the node that replaced it alone', async () => {
    expect(await simulateCluster(50_873, { actions: 40, nodes: 4 })).toEqual([])
  })

  it('cluster 50: drops, doubles or swaps 30 % of the messages', () => {
    const next = createFates(createRandom(1))
    const fates = Array.from({ length: 10_000 }, next)
    const share = (isSo: (copies: readonly number[]) => boolean): number => fates.filter(isSo).length / fates.length
    expect(share(({ length }) => length === 0)).toBeCloseTo(0.1, 1)
    expect(share(({ length }) => length === 2)).toBeCloseTo(0.1, 1)
    expect(share(([delay = 0, ...others]) => delay > 0 && others.length === 0)).toBeCloseTo(0.1, 1)
    expect(share(([delay, ...others]) => delay === 0 && others.length === 0)).toBeCloseTo(0.7, 1)
  })

  it('cluster 50: sends many messages, and many turns begin by a job', async () => {
    let [messages, jobs] = [0, 0]
    for (let seed = 1; seed <= 50; seed++) {
      await simulateCluster(seed, {
        look({ sent, jobs: { length } }) {
          messages += sent.length
          jobs += length
        },
      })
    }
    expect(messages).toBeGreaterThan(50 * 20)
    expect(jobs).toBeGreaterThan(50 * 2)
  })

  it.each(Object.entries(PLANTED_BUGS))(
    'is not believed to be right when %s',
    { timeout: 120_000 },
    async (_, plant) => {
      const isFoundWith = async (seed: number, speech: object): Promise<boolean> =>
        (await simulateCluster(seed, { plant, ...speech }).catch(() => ['it threw'])).length > 0
      let seed = 1
      while (seed <= 100 && !(await isFoundWith(seed, {})) && !(await isFoundWith(seed, SLOW))) seed++
      expect(seed).toBeLessThanOrEqual(100)
    },
  )
})
