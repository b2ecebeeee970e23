import { StorageFault, type Storage, type TransferRow } from '@polylogue/engine'
import { systemClock } from '../platform/system-clock.ts'
import { EXIT_CONFIG, EXIT_FAILURE, ServeError } from '../serve-error.ts'
import { findStorage, openStores, parseDatabase } from '../stores.ts'
import { compareLogs, type LogCensus } from './compare-logs.ts'

export interface MoveOptions {
  readonly dataDir: string
  readonly startDir: string
  /** A database as `--database` names it. Absent: the one of the data directory. */
  readonly from?: string
  readonly to: string
  readonly onProgress?: (progress: MoveProgress) => void
}

/** Told when a phase begins, and now and then. */
export interface MoveProgress {
  readonly phase: 'copying' | 'comparing'
  /** Rows that were copied, or events that were compared. */
  readonly done: number
}

export interface Moved extends LogCensus {
  /** Neither has a password. */
  readonly from: string
  readonly to: string
}

/**
 * Copies everything from one database to another, empty one, and then reads both logs and compares them. The source stays
 * as it is. If anything fails, the target stays empty.
 */
export async function moveStorage(options: MoveOptions): Promise<Moved> {
  try {
    return await move(options)
  } catch (error) {
    // A store explains in one sentence why a database cannot be used.
    if (error instanceof StorageFault) throw new ServeError(error.message, EXIT_FAILURE, { cause: error })
    throw error
  }
}

async function move({ from, to, onProgress, ...dirs }: MoveOptions): Promise<Moved> {
  const clock = systemClock
  const sourceUrl = parseDatabase(from, { ...dirs, flag: '--from' })
  const targetUrl = parseDatabase(to, { ...dirs, flag: '--to' })
  if (sourceUrl === targetUrl) throw new ServeError('--from and --to name the same database.', EXIT_CONFIG)
  const [source, target] = [await findStorage(sourceUrl, { clock }), await findStorage(targetUrl, { clock })]
  const sourceName = (await source.describe()).name
  if (!(await source.describe()).exists) throw new ServeError(`There is no database ${sourceName}.`, EXIT_FAILURE)
  const tell = (phase: MoveProgress['phase']) => (done: number) => onProgress?.({ phase, done })
  // Keeps a server from writing to it meanwhile, and brings its schema up to date.
  const open = await openStores(sourceUrl, { clock })
  try {
    await fillTarget(target, counted(source.dump(), tell('copying')))
    const census = await compareLogs(source, target, tell('comparing'))
    return { ...census, from: sourceName, to: (await target.describe()).name }
  } finally {
    await open.close()
  }
}

async function fillTarget(target: Storage, rows: AsyncIterable<TransferRow>): Promise<void> {
  try {
    await target.fill(rows)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new ServeError(error.message, EXIT_FAILURE, { cause: error })
  }
}

const ROWS_BETWEEN = 10_000

async function* counted<T>(rows: AsyncIterable<T>, onProgress: (rows: number) => void): AsyncGenerator<T> {
  let count = 0
  onProgress(count)
  for await (const row of rows) {
    yield row
    count += 1
    if (count % ROWS_BETWEEN === 0) onProgress(count)
  }
}
