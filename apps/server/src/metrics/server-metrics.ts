import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Readiness } from '../nodes/node-health.ts'
import { createCounter, createGauge, createHistogram, type Counter, type Histogram, type Metric } from './metric.ts'

/** What a server counts about itself: numbers and durations, never a user, a session or a text. */
export interface ServerMetrics {
  readonly requests: Counter
  /** Requests that a limit refused, by which one. */
  readonly refusals: Counter
  readonly wrongKeys: Counter
  readonly droppedReaders: Counter
  readonly turns: Counter
  readonly takeovers: Counter
  readonly modelSteps: Histogram
  readonly tokens: Counter
  /** By currency. */
  readonly cost: Counter
  readonly appends: Histogram
  readonly commitSize: Histogram
  readonly storageFaults: FaultCounter
  expose(): Promise<string>
  close(): void
}

export interface FaultCounter extends Counter {
  /** Absent if there was none. */
  secondsSinceLast(): number | undefined
}

export interface MetricSources {
  openStreams(): number
  runningTurns(): number
  /** Of a storage that is a file. */
  readonly walBytes?: (() => Promise<number>) | undefined
  /** Of a node that shares its storage. */
  readonly readiness?: (() => Readiness) | undefined
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const STEP_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
const LOOP_RESOLUTION_MS = 20

export function createServerMetrics({ openStreams, runningTurns, ...sources }: MetricSources): ServerMetrics {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loopDelay.enable()
  const counted = {
    requests: createCounter('polylogue_http_requests_total', 'Requests answered, by route pattern and status.'),
    refusals: createCounter('polylogue_http_refusals_total', 'Requests and connections refused by a limit.'),
    wrongKeys: createCounter('polylogue_auth_failures_total', 'Requests with a wrong key or sign-in.'),
    droppedReaders: createCounter(
      'polylogue_readers_dropped_total',
      'Streams closed because their reader did not read.',
    ),
    turns: createCounter('polylogue_turns_total', 'Turns that ended, by outcome.'),
    takeovers: createCounter('polylogue_takeovers_total', 'Turns taken over from a dead process or a failed disk.'),
    modelSteps: createHistogram('polylogue_model_step_seconds', 'From asking the model to its answer.', STEP_SECONDS),
    tokens: createCounter('polylogue_model_tokens_total', 'Tokens that models took, in and out.'),
    cost: createCounter('polylogue_model_cost_total', 'What model calls of known price cost, by currency.'),
    appends: createHistogram('polylogue_append_seconds', 'From an append to its fsync.', SECONDS),
    commitSize: createHistogram('polylogue_commit_writes', 'Writes that shared one commit.', COUNTS),
    storageFaults: createFaultCounter(
      'polylogue_storage_faults_total',
      'Reads and writes that the storage refused, by kind.',
    ),
  }
  let walBytes: number | undefined
  const has = (isThere: boolean | undefined): number | undefined =>
    isThere === undefined ? undefined : Number(isThere)
  const gauges: readonly Metric[] = [
    createGauge('polylogue_open_streams', 'Requests open until a turn stops.', openStreams),
    createGauge('polylogue_running_turns', 'Turns at work in this process.', runningTurns),
    createGauge('polylogue_wal_bytes', 'Size of the write-ahead log.', () => walBytes),
    createGauge('polylogue_database_up', 'Whether this node reaches the database.', () =>
      has(sources.readiness && sources.readiness().lacks === undefined),
    ),
    createGauge('polylogue_messages_up', 'Whether messages between nodes arrive here.', () =>
      has(sources.readiness && sources.readiness().degraded.length === 0),
    ),
    createGauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
    createGauge('nodejs_heap_size_used_bytes', 'Used heap.', () => process.memoryUsage().heapUsed),
    createGauge('process_start_time_seconds', 'Start, in Unix time.', () => Date.now() / 1000 - process.uptime()),
    createGauge('nodejs_eventloop_lag_p50_seconds', 'Median delay of the event loop since it was last asked for.', () =>
      lag(loopDelay.percentile(50)),
    ),
    createGauge('nodejs_eventloop_lag_p99_seconds', '99th percentile of the same.', () =>
      lag(loopDelay.percentile(99)),
    ),
    createGauge('nodejs_eventloop_lag_max_seconds', 'Longest of the same.', () => lag(loopDelay.max)),
  ]
  return {
    ...counted,
    async expose() {
      // What is counted here must be readable while the storage is not.
      walBytes = await sources.walBytes?.().catch(() => undefined)
      const text = [...Object.values(counted), ...gauges].map((metric) => metric.expose()).join('')
      loopDelay.reset()
      return text
    },
    close: () => void loopDelay.disable(),
  }
}

/** The monitor measures from tick to tick, so an idle loop reports the resolution. */
function lag(nanoseconds: number): number | undefined {
  const seconds = nanoseconds / 1e9 - LOOP_RESOLUTION_MS / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

function createFaultCounter(name: string, help: string): FaultCounter {
  const counter = createCounter(name, help)
  let lastAt: number | undefined
  return {
    ...counter,
    get total() {
      return counter.total
    },
    add(...added) {
      lastAt = performance.now()
      counter.add(...added)
    },
    secondsSinceLast: () => (lastAt === undefined ? undefined : Math.round((performance.now() - lastAt) / 1000)),
  }
}
