/** What one session, one stream and one database cost, as measured. */
export interface Units {
  /** CPU of a node per delta that it streams to a client. */
  readonly cpuMicrosPerDelta: number
  readonly kibPerIdleStream: number
  /** Appends that one node makes, if it does nothing else. */
  readonly appendsPerSecond: number
  /** Rows that the database stores without us, in groups. An append has about two. */
  readonly groupedRowsPerSecond: number
  /** Deltas that one node sends to another by NOTIFY. */
  readonly notifyDeltasPerSecond: number
}

export interface ClusterSize {
  readonly sessions: number
  /** Of one core each, and one more that may fail. */
  readonly nodes: number
  readonly memoryGiBPerNode: number
  readonly appendsPerSecond: number
  readonly draftPartsPerSecond: number
  readonly busMBPerSecond: number
  readonly storedGBPerDay: number
  readonly firstLimit: string
}

/** The assumed use. A turn takes 20 seconds, 10 appends and 10 kB. One session in twenty streams 50 deltas a second. */
const STREAMING = 0.05
const DELTAS_PER_SECOND = 50
const TURN_SECONDS = 20
const APPENDS_PER_TURN = 10
const BYTES_PER_TURN = 10_000
/** A text of other nodes is sent every 50 ms, with about 130 bytes. */
const BATCHES_PER_SECOND = 20
const BYTES_PER_BATCH = 130
const ROWS_PER_APPEND = 2
/** Drafts are saved each second. */
const DRAFTS_PER_SECOND = 1
/** A node is full at this part of its core, so that bursts find room. */
const BUSY = 0.6
const DAY_SECONDS = 86_400

export function sizeCluster(sessions: number, units: Units): ClusterSize {
  const streaming = sessions * STREAMING
  const turnsPerSecond = streaming / TURN_SECONDS
  const appendsPerSecond = turnsPerSecond * APPENDS_PER_TURN
  const deltasPerSecond = streaming * DELTAS_PER_SECOND
  const streamingCores = (deltasPerSecond * units.cpuMicrosPerDelta) / 1_000_000
  const cores = (streamingCores + appendsPerSecond / units.appendsPerSecond) / BUSY
  const serving = Math.max(1, Math.ceil(cores))
  const limits: readonly (readonly [what: string, share: number])[] = [
    ['one PostgreSQL', (appendsPerSecond * ROWS_PER_APPEND) / units.groupedRowsPerSecond],
    ['NOTIFY: use --redis', serving < 2 ? 0 : deltasPerSecond / serving / units.notifyDeltasPerSecond],
  ]
  const [first] = limits.toSorted(([, one], [, other]) => other - one)
  return {
    sessions,
    nodes: serving + 1,
    memoryGiBPerNode: (sessions / serving) * (units.kibPerIdleStream / 2 ** 20) + 0.25,
    appendsPerSecond,
    draftPartsPerSecond: streaming * DRAFTS_PER_SECOND,
    busMBPerSecond: (streaming * BATCHES_PER_SECOND * BYTES_PER_BATCH) / 1_000_000,
    storedGBPerDay: (turnsPerSecond * BYTES_PER_TURN * DAY_SECONDS) / 1_000_000_000,
    firstLimit: first === undefined || first[1] < 0.5 ? 'nothing' : first[0],
  }
}

/** Rows of a table: the sessions asked for, and ten times fewer and more. */
export function formatSizes(sessions: number, units: Units): string {
  const sizes = [sessions / 10, sessions, sessions * 10].map((count) => sizeCluster(Math.max(1, count), units))
  const number = (value: number, digits = 0): string =>
    value.toLocaleString('en', { maximumFractionDigits: value < 10 ? Math.max(1, digits) : digits })
  return [
    '| sessions | nodes (1 core each, one spare) | memory a node | appends/s | draft parts/s | between nodes | stored a day | at its limit |',
    '|--:|--:|--:|--:|--:|--:|--:|---|',
    ...sizes.map(
      (size) =>
        `| ${number(size.sessions)} | ${size.nodes} | ${number(size.memoryGiBPerNode, 1)} GiB | ${number(size.appendsPerSecond)} | ${number(size.draftPartsPerSecond)} | ${number(size.busMBPerSecond, 1)} MB/s | ${number(size.storedGBPerDay, 1)} GB | ${size.firstLimit} |`,
    ),
    '',
    `Units of this machine: ${number(units.cpuMicrosPerDelta, 1)} µs of CPU a delta, ${number(units.kibPerIdleStream, 1)} KiB an open stream, ${number(units.appendsPerSecond)} appends/s of one node, ${number(units.groupedRowsPerSecond)} rows/s of the database without us, ${number(units.notifyDeltasPerSecond)} deltas/s to another node by NOTIFY.`,
    'Assumed: 5 % of the sessions stream 50 deltas a second; a turn takes 20 s, 10 appends and 10 kB.',
  ].join('\n')
}
