import { cpus, totalmem } from 'node:os'
import { writeFile } from 'node:fs/promises'
import type { BenchReport, BenchRow } from '../bench/bench-result.ts'
import { measureAcpSession } from '../bench/acp-session.ts'
import { measureAcpStart } from '../bench/acp-start.ts'
import { measureAcpUpdates } from '../bench/acp-updates.ts'
import { measureAddedLatency } from '../bench/added-latency.ts'
import { measureAdmission } from '../bench/admission.ts'
import { measureCluster } from '../bench/cluster/measure-cluster.ts'
import { formatSizes, type Units } from '../bench/cluster/size-cluster.ts'
import { measureConsole } from '../bench/console-page.ts'
import { measureIdleStreams } from '../bench/idle-streams.ts'
import { measureSessionList } from '../bench/session-list.ts'
import { measureSocketDeliveries } from '../bench/socket-deliveries.ts'
import { writeBenchmarks } from '../bench/write-benchmarks.ts'
import { measureColdStart } from '../bench/cold-start.ts'
import { SATURATION, measureCpuPerDelta } from '../bench/cpu-per-delta.ts'
import { measureAgainst, measureFixedCosts } from '../bench/fixed-costs.ts'
import { measureGrowth } from '../bench/growth.ts'
import { measureLargeStart } from '../bench/large-start.ts'
import { measureOpenSessions } from '../bench/open-sessions.ts'
import { profileServer } from '../bench/profile-server.ts'

export interface BenchFlags {
  readonly quick?: boolean
  readonly only?: string
  readonly json?: string
  readonly markdown?: string
  /** A directory. */
  readonly profile?: string
  /** Another AAP v3 server to compare with, its key and its agent. */
  readonly against?: string
  readonly againstKey?: string
  readonly againstAgent?: string
  /** For the row cluster. */
  readonly database?: string
  readonly redis?: string
  /** A number of sessions. */
  readonly capacity?: string
}

interface Bench {
  readonly name: string
  measure(isQuick: boolean, flags: BenchFlags): Promise<BenchRow | readonly BenchRow[]>
}

const BENCHES: readonly Bench[] = [
  { name: 'cpu', measure: (isQuick) => measureCpuPerDelta(isQuick ? 2 : 6) },
  { name: 'latency', measure: (isQuick) => measureAddedLatency(isQuick ? 50 : 250) },
  { name: 'admission', measure: (isQuick) => measureAdmission(isQuick ? 3 : 20) },
  { name: 'idle', measure: (isQuick) => measureIdleStreams(isQuick ? 1_000 : 9_900) },
  { name: 'list', measure: (isQuick) => measureSessionList(isQuick ? 2_000 : 100_000) },
  { name: 'start', measure: (isQuick) => measureColdStart(isQuick ? 2 : 5) },
  { name: 'acp-start', measure: (isQuick) => measureAcpStart(isQuick ? 5 : 21) },
  { name: 'acp-session', measure: (isQuick) => measureAcpSession(isQuick ? 3 : 11) },
  { name: 'acp-updates', measure: (isQuick) => measureAcpUpdates(isQuick ? 10_000 : 50_000) },
  { name: 'sockets', measure: (isQuick) => measureSocketDeliveries(isQuick ? 100 : 250) },
  { name: 'turns', measure: (isQuick) => measureFixedCosts(isQuick) },
  { name: 'open', measure: (isQuick) => measureOpenSessions(isQuick ? 300 : 3_000) },
  { name: 'large', measure: (isQuick) => measureLargeStart(isQuick ? 20_000 : 1_000_000) },
  { name: 'console', measure: (isQuick) => measureConsole(isQuick) },
  { name: 'growth', measure: (isQuick) => measureGrowth(isQuick ? 400 : 1000) },
  {
    name: 'cluster',
    measure: (isQuick, { database, redis }) =>
      measureCluster({ isQuick, ...(database !== undefined && { database }), ...(redis !== undefined && { redis }) }),
  },
]

/** The rows that `--capacity` computes from. */
const UNITS: readonly string[] = ['cpu', 'idle', 'cluster']

/** Both sides of every row in one run, on this machine. Exit code 1 when a budget is missed. */
export async function bench(flags: BenchFlags): Promise<number> {
  if (flags.profile !== undefined) return profile(flags.profile, flags.quick === true)
  const sessions = Number(flags.capacity ?? 1)
  if (!Number.isInteger(sessions) || sessions < 1) {
    process.stderr.write('--capacity must be a number of sessions, such as 10000.\n')
    return 2
  }
  const chosen = flags.against === undefined ? chooseRows(flags) : [compareWith(flags, flags.against)]
  if (chosen.length === 0) {
    process.stderr.write(
      `There is no row called ${flags.only}; choose one of ${BENCHES.map(({ name }) => name).join(', ')}.\n`,
    )
    return 2
  }
  const rows: BenchRow[] = []
  for (const { name, measure } of chosen) {
    process.stderr.write(`Measuring ${name} …\n`)
    for (const row of [await measure(flags.quick === true, flags)].flat()) {
      rows.push(row)
      process.stdout.write(
        `${row.isMet ? 'met   ' : 'MISSED'}  ${row.name}\n        ${row.measured}   budget: ${row.budget}\n`,
      )
    }
  }
  if (rows.length === 0) return 2
  if (flags.capacity !== undefined) process.stdout.write(`\n${formatSizes(sessions, toUnits(rows))}\n`)
  const report = toReport(rows)
  if (flags.json !== undefined) await writeFile(flags.json, `${JSON.stringify(report, null, 2)}\n`)
  if (flags.markdown !== undefined) await writeFile(flags.markdown, writeBenchmarks(report))
  return rows.every((row) => row.isMet) ? 0 : 1
}

function chooseRows({ only, capacity }: BenchFlags): readonly Bench[] {
  if (capacity !== undefined) return BENCHES.filter(({ name }) => UNITS.includes(name))
  return BENCHES.filter(({ name }) => only === undefined || name === only)
}

/** A plain turn is two appends. */
const APPENDS_OF_A_TURN = 2

function toUnits(rows: readonly BenchRow[]): Units {
  const find = (figure: string, name = ''): number =>
    rows.find((row) => row.name.includes(name) && figure in row.figures)?.figures[figure] ?? Number.NaN
  return {
    cpuMicrosPerDelta: find('oursMicros'),
    kibPerIdleStream: find('kibPerStream'),
    appendsPerSecond: find('turnsPerSecond') * APPENDS_OF_A_TURN,
    groupedRowsPerSecond: find('rawGroupedRowsPerSecond'),
    notifyDeltasPerSecond: find('deltasPerSecond', 'NOTIFY'),
  }
}

function compareWith({ againstKey = '', againstAgent = 'scripted' }: BenchFlags, url: string): Bench {
  const other = { url: new URL(url), key: againstKey, agent: againstAgent }
  return { name: `against ${url}`, measure: (isQuick) => measureAgainst(other, isQuick) }
}

/** Measures nothing: a server that is profiled is slower. */
async function profile(directory: string, isQuick: boolean): Promise<number> {
  process.stderr.write('Profiling …\n')
  const files = await profileServer(directory, { ...SATURATION, turns: isQuick ? 5 : 20 })
  process.stdout.write(`${files.flameGraph}\n${files.profile}\n`)
  return 0
}

function toReport(rows: readonly BenchRow[]): BenchReport {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
  return { startedAt: new Date().toISOString(), machine, rows }
}
