import { describe, expect, it } from 'vitest'
import { parseCpuProfile, toCallTree } from './cpu-profile.ts'

const ROOT = 'file:///srv/checkout/'

function node(id: number, functionName: string, url = '', children: readonly number[] = []) {
  return { id, callFrame: { functionName, url, lineNumber: 9, columnNumber: 0, scriptId: '0' }, hitCount: 0, children }
}

const profile = parseCpuProfile(
  JSON.stringify({
    startTime: 0,
    endTime: 1,
    nodes: [
      node(1, '(root)', '', [2, 3, 6]),
      node(2, '(idle)'),
      node(3, 'run', `${ROOT}packages/engine/src/run.ts`, [4, 5]),
      node(4, '', 'node:net'),
      node(5, '', 'node:net', [7]),
      node(6, 'fetch', `${ROOT}node_modules/@hono/node-server/dist/index.mjs`),
      node(7, 'writev'),
    ],
    samples: [2, 3, 4, 5, 6, 7],
    timeDeltas: [1_000_000, 10, 20, 30, 5, 35],
  }),
)

describe('a tree of calls', () => {
  const tree = toCallTree(profile, ROOT)

  it('has the time of each function, with and without its callees, the longest first', () => {
    const run = tree.calls[0]
    expect(run).toMatchObject({ name: 'run', selfMicros: 10, totalMicros: 95 })
    expect(tree.calls.map(({ name }) => name)).toEqual(['run', 'fetch'])
  })

  it('leaves out the time in which nothing ran', () => {
    expect(tree.totalMicros).toBe(100)
  })

  it('has one function once below its caller', () => {
    expect(tree.calls[0]?.calls).toEqual([
      {
        name: '(anonymous)',
        place: 'node:net',
        selfMicros: 50,
        totalMicros: 85,
        calls: [{ name: 'writev', place: '', selfMicros: 35, totalMicros: 35, calls: [] }],
      },
    ])
  })

  it('names places relative to the checkout, and a dependency by its name', () => {
    expect(tree.calls.map(({ place }) => place)).toEqual(['packages/engine/src/run.ts:10', '@hono/node-server'])
  })
})

it('something else than a profile is refused', () => {
  expect(() => parseCpuProfile('{"nodes":[]}')).toThrow(/samples/)
})
