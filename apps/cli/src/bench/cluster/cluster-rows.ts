import { round, type BenchRow } from '../bench-result.ts'
import type { OtherNodeDeltas } from './other-node-deltas.ts'
import type { RawDatabase } from './raw-database.ts'

const MOST_STEP_MS = 6
export const CLIENTS = 32

export interface ClusterFigures {
  /** What the database does without us, in the same run. */
  readonly raw: RawDatabase
  readonly stepMs: number
  /** Turns per second. */
  readonly oneNode: number
  readonly twoNodes: number
  /** Deltas per second to clients of the node that runs the turn. */
  readonly oneDeltas: number
  readonly twoDeltas: number
  /** To clients of the other node. */
  readonly notify: OtherNodeDeltas
  /** Absent: there was no Redis. */
  readonly redis?: OtherNodeDeltas
}

export function toClusterRows({ raw, stepMs, notify, redis, ...rates }: ClusterFigures): readonly BenchRow[] {
  return [
    toStepRow(stepMs, raw),
    toRateRow('Turns, none, one word, one node on Postgres', rates.oneNode, raw),
    toRateRow('The same on two nodes', rates.twoNodes, raw),
    toDeltaRow('Deltas to clients of the same node, one node', rates.oneDeltas),
    toDeltaRow('The same on two nodes', rates.twoDeltas),
    toOtherRow('NOTIFY', notify),
    ...(redis === undefined ? [] : [toOtherRow('Redis', redis)]),
  ]
}

function toStepRow(stepMs: number, raw: RawDatabase): BenchRow {
  return {
    name: 'Durable step with a tool on Postgres, one client',
    measured: `p50 ${round(stepMs)} ms; a raw commit of the same database p50 ${round(raw.commitP50Ms)} ms`,
    budget: `p50 ≤ ${MOST_STEP_MS} ms`,
    isMet: stepMs <= MOST_STEP_MS,
    figures: { stepP50Ms: round(stepMs, 3), rawCommitP50Ms: round(raw.commitP50Ms, 3) },
  }
}

function toRateRow(name: string, perSecond: number, { commitsPerSecond, groupedRowsPerSecond }: RawDatabase): BenchRow {
  return {
    name: `${name}, ${CLIENTS} clients`,
    measured: `${round(perSecond, 0)} turns/s; raw database ${round(commitsPerSecond, 0)} commits/s, ${round(groupedRowsPerSecond, 0)} grouped rows/s`,
    budget: 'none: for comparison',
    isMet: true,
    figures: {
      turnsPerSecond: round(perSecond, 1),
      rawCommitsPerSecond: round(commitsPerSecond, 1),
      rawGroupedRowsPerSecond: round(groupedRowsPerSecond, 1),
    },
  }
}

const toDeltaRow = (name: string, perSecond: number): BenchRow => ({
  name: `${name}, ${CLIENTS} clients`,
  measured: `${round(perSecond, 0)} deltas/s`,
  budget: 'none: for comparison',
  isMet: true,
  figures: { deltasPerSecond: round(perSecond, 0) },
})

const toOtherRow = (bus: string, { perSecond, p50Ms, p99Ms }: OtherNodeDeltas): BenchRow => ({
  name: `Deltas to clients of the other node by ${bus}`,
  measured: `${round(perSecond, 0)} deltas/s; added latency p50 ${round(p50Ms)} ms, p99 ${round(p99Ms)} ms`,
  budget: 'none: for comparison',
  isMet: true,
  figures: { deltasPerSecond: round(perSecond, 0), p50Ms: round(p50Ms, 3), p99Ms: round(p99Ms, 3) },
})
