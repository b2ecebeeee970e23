import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { formatSizes, sizeCluster, type Units } from './size-cluster.ts'

/** Those of BENCHMARKS.md, from which docs/deploy.md has its table. */
const UNITS: Units = {
  cpuMicrosPerDelta: 10.58,
  kibPerIdleStream: 24.9,
  appendsPerSecond: 992,
  groupedRowsPerSecond: 71_136,
  notifyDeltasPerSecond: 517_357,
}

it('sizes a small cluster: one node carries it, and a second one may fail', () => {
  expect(sizeCluster(10_000, UNITS)).toMatchObject({
    nodes: 2,
    appendsPerSecond: 250,
    draftPartsPerSecond: 500,
    busMBPerSecond: 1.3,
    storedGBPerDay: 21.6,
    firstLimit: 'nothing',
  })
})

it('names what is at its limit first', () => {
  expect(sizeCluster(100_000, UNITS)).toMatchObject({ nodes: 10, firstLimit: 'nothing' })
  expect(sizeCluster(1_000_000, UNITS)).toMatchObject({ nodes: 88, firstLimit: 'one PostgreSQL' })
  const slowBus = { ...UNITS, groupedRowsPerSecond: 1e9, notifyDeltasPerSecond: 20_000 }
  expect(sizeCluster(1_000_000, slowBus).firstLimit).toBe('NOTIFY: use --redis')
})

it('prints the sizes around the one that was asked for, and what they were computed from', () => {
  const lines = formatSizes(10_000, UNITS).split('\n')
  expect(lines.slice(2, 5).map((line) => line.split('|')[1]?.trim())).toEqual(['1,000', '10,000', '100,000'])
  expect(lines.at(-2)).toContain('10.6 µs of CPU a delta')
})

it('docs/deploy.md has the sizes that are computed from these figures', () => {
  const page = readFileSync(new URL('../../../../../docs/deploy.md', import.meta.url), 'utf8')
  for (const row of formatSizes(100_000, UNITS).split('\n').slice(2, 5)) expect(page).toContain(row)
})
