/** The number of runs of each engine, in `npm test` and in `npm run proof`. */

/** A recording of the power-loss engine. A pragma turns the store into one that we do not ship. */
export interface PowerLossWorkload {
  readonly sessions: number
  /** In each of the two rounds. */
  readonly turns: number
  readonly size: number
  readonly pragmas: readonly string[]
}

/** Checkpoints and restarts its log every few commits, so that the power often fails in the middle of that. */
const BRISK: PowerLossWorkload = { sessions: 2, turns: 6, size: 500, pragmas: ['wal_autocheckpoint = 40'] }
/** The store as shipped, with enough data for a checkpoint in the middle of each round. */
const SHIPPED: PowerLossWorkload = { sessions: 3, turns: 20, size: 1_000, pragmas: [] }

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1)

/** `npm run proof` chooses a seed, or takes one to repeat a run. */
const SEED = process.env['POLYLOGUE_PROOF_SEED'] ?? 'willow'

export const COUNTS = {
  powerLoss: {
    workloads: { brisk: BRISK, shipped: SHIPPED },
    test: { seeds: ['dusk'], images: { brisk: 600, shipped: 60 } },
    proof: { seed: SEED, seeds: upTo(5).map((number) => `${SEED}/${number}`), images: { brisk: 1_800, shipped: 200 } },
    /** For a store that does not wait for the disk. Enough runs to lose data. */
    forgetful: { seed: 'dusk', images: 200, workload: { ...BRISK, pragmas: ['synchronous = NORMAL'] } },
  },
  diskFull: {
    width: 2,
    test: { kibibytes: [256, 704, 2_240, 8_128], blocks: [64, 700] },
    proof: { kibibytes: upTo(120).map((step) => 192 + 64 * step), blocks: upTo(60).map((step) => 25 * step) },
  },
  ioError: {
    /** Kept low, because each point is a process under strace and the machines have few processors. */
    width: 2,
    test: {
      store: [
        { call: 'fsync', points: [1, 6, 60] },
        { call: 'pwrite64', points: [4, 90] },
        { call: 'pread64', points: [3, 120] },
        { call: 'link', points: [1] },
        { call: 'unlink', points: [4] },
        { call: 'openat', points: [5] },
      ],
      server: [
        { call: 'fsync', points: [3] },
        { call: 'pwrite64', points: [5] },
      ],
      firstStart: [
        { call: 'link', points: [1] },
        { call: 'rename', points: [1] },
      ],
    },
    proof: {
      store: [
        { call: 'fsync', points: upTo(240) },
        { call: 'pwrite64', points: upTo(200) },
        { call: 'pread64', points: upTo(200) },
        { call: 'openat', points: upTo(16) },
        { call: 'unlink', points: upTo(7) },
        { call: 'ftruncate', points: upTo(4) },
        { call: 'mmap', points: upTo(2) },
        { call: 'link', points: upTo(1) },
      ],
      server: [
        { call: 'fsync', points: upTo(16) },
        { call: 'pwrite64', points: upTo(16) },
      ],
      firstStart: [
        { call: 'link', points: upTo(1) },
        { call: 'rename', points: upTo(1) },
        { call: 'fsync', points: upTo(1) },
        { call: 'pwrite64', points: upTo(1) },
        { call: 'openat', points: upTo(2) },
      ],
    },
  },
  lock: {
    test: {
      waits: [
        { holdMs: 300, busyWaitMs: 3_000, stores: 2 },
        { holdMs: 2_000, busyWaitMs: 300, stores: 2 },
      ],
      servers: [{ holdMs: 6_000, isStopped: true }],
      turnsBehindReader: { store: 8, server: 6 },
    },
    /** The store's own limit is 5 s. */
    proof: {
      waits: [1_000, 6_000, 30_000].map((holdMs) => ({ holdMs, busyWaitMs: 5_000, stores: 6 })),
      servers: [
        { holdMs: 1_000, isStopped: false },
        { holdMs: 6_000, isStopped: false },
        { holdMs: 6_000, isStopped: true },
        { holdMs: 30_000, isStopped: false },
        { holdMs: 30_000, isStopped: true },
      ],
      turnsBehindReader: { store: 60, server: 60 },
    },
  },
  upgrade: {
    width: 2,
    test: [{ call: 'pwrite64', points: [5, 40] }],
    proof: [
      { call: 'pwrite64', points: upTo(60) },
      { call: 'fsync', points: upTo(12) },
      { call: 'unlink', points: upTo(4) },
      { call: 'link', points: upTo(1) },
    ],
  },
  bitRot: {
    test: {
      seed: 'moth',
      databases: [
        { left: 'closed', file: 'polylogue.db', count: 150 },
        { left: 'killed', file: 'polylogue.db', count: 20 },
        { left: 'killed', file: 'polylogue.db-wal', count: 40 },
      ],
      ofEachSmallFile: 2,
    },
    proof: {
      seed: SEED,
      databases: [
        { left: 'closed', file: 'polylogue.db', count: 2_000 },
        { left: 'killed', file: 'polylogue.db', count: 200 },
        { left: 'killed', file: 'polylogue.db-wal', count: 500 },
      ],
      ofEachSmallFile: 20,
    },
  },
} as const
