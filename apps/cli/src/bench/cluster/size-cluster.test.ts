import { expect, it } from 'vitest'
import { formatSizes, sizeCluster, type Units } from './size-cluster.ts'

const UNITS: Units = {
  cpuMicrosPerDelta: 14.4,
  kibPerIdleStream: 24.8,
  appendsPerSecond: 8_000,
  notifyDeltasPerSecond: 20_000,
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
  expect(sizeCluster(1_000_000, UNITS)).toMatchObject({ nodes: 61, firstLimit: 'the commits of one PostgreSQL' })
  expect(sizeCluster(1_000_000, { ...UNITS, appendsPerSecond: 1e9 }).firstLimit).toBe('NOTIFY: use --redis')
})

it('prints the sizes around the one that was asked for, and what they were computed from', () => {
  const lines = formatSizes(10_000, UNITS).split('\n')
  expect(lines.slice(2, 5).map((line) => line.split('|')[1]?.trim())).toEqual(['1,000', '10,000', '100,000'])
  expect(lines.at(-2)).toContain('14.4 µs of CPU a delta')
})
