import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageFault, type UserId } from '@polylogue/engine'
import type { Row } from '@polylogue/store-rows'
import pg from 'pg'
import { toDriverUrl } from './driver-url.ts'
import { isLost, isRepeatable, toConnectFault, toFault } from './postgres-fault.ts'
import { SilentDatabase, createSilence } from './silence.ts'
import { toRow, toText } from './to-text.ts'

export interface Statement {
  /** Prepared under this name, once per connection. */
  readonly name?: string
  readonly text: string
  readonly values?: readonly unknown[]
  /**
   * Default: `requests`. What keeps turns alive has connections of its own, because slow requests must not stop them, and a burst of
   * turns must not end the lease of their node. Such a statement is never slow.
   */
  readonly lane?: 'requests' | 'turns' | 'lease'
}

export type Query = (statement: Statement) => Promise<readonly Row[]>

/** The connections of a process. All methods reject with a `StorageFault` when the database does not answer. */
export interface Database {
  /** One statement that changes nothing, or that may run twice. It is repeated when the connection is lost. */
  read(statement: Statement): Promise<readonly Row[]>
  /**
   * One statement. It is repeated when PostgreSQL has undone it because of another transaction. Rejects with the driver's error when the
   * connection is lost: whether it took effect is unknown.
   */
  write(statement: Statement): Promise<readonly Row[]>
  /**
   * A transaction that sees and changes the rows of one user. Transactions of one user run in call order, so that
   * concurrent additions get their numbers in that order.
   */
  change<T>(userId: UserId, work: (query: Query) => Promise<T>): Promise<T>
  /** A transaction that sees the rows of one user. */
  asUser<T>(userId: UserId, work: (query: Query) => Promise<T>): Promise<T>
  /** A transaction that sees all rows. */
  asSystem<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** Looks whether a standby has become the primary, if connections do not show it: those of a pooler outlive the server. */
  lookForFailover(): Promise<void>
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly url: string
  /** The role of all statements. Default: the role that connects. */
  readonly role?: string
  /** A pooler answers, and gives each transaction another connection: none keeps settings. */
  readonly isPooled?: boolean
  /**
   * How long a statement may take before its connection counts as lost. Default: 15 seconds. When the database answers
   * nothing at all, only `write` waits this long; everything else is refused within seconds.
   */
  readonly answerWithinMs?: number
  /** Called when a connection finds another timeline: a standby has become the primary, and may lack the newest commits. */
  replaced?(): void
}

/** Whether a statement waits for a database that answers nothing. */
type Patience = 'patient' | 'impatient'

interface Asked extends Pick<Statement, 'lane'> {
  readonly patience: Patience
}

const CONNECTIONS = { requests: 6, turns: 3, lease: 1 } as const
/** How long a request waits for a database that does not answer. */
const PATIENCE_MS = 2_000
/** How long it waits for a connection while the database answers others. */
const QUEUED_MS = 10_000
const PAUSE_MS = 50
/** A server that is frozen, or behind a network that is, sends no error. */
const ANSWER_WITHIN_MS = 15_000
const INT8 = 20
/** The first part of the name of a WAL file. NULL on a standby. */
const TIMELINE =
  'SELECT CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS it'

/** Times, sizes and sums are below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : (pg.types.getTypeParser(oid, format ?? 'text') as (text: string) => unknown),
}

/** Counts as a server that cannot be used yet. */
class StandbyError extends Error {
  readonly code = '57P03'

  constructor() {
    super('the database is a standby')
  }
}

const TIMEOUTS = [
  ['statement_timeout', '30000'],
  ['idle_in_transaction_session_timeout', '5000'],
  ['lock_timeout', '5000'],
] as const
const SET_TIMEOUTS = TIMEOUTS.map(([name, value]) => `; SET LOCAL ${name} = ${value}`).join('')

export function toClientConfig({ url, role, isPooled = false }: DatabaseOptions): pg.ClientConfig {
  const settings = TIMEOUTS.map(([name, value]) => `${name}=${value}`)
  if (role !== undefined) settings.push(`role=${role}`)
  return {
    connectionString: toDriverUrl(url),
    application_name: 'polylogue',
    connectionTimeoutMillis: PATIENCE_MS,
    keepAlive: true,
    ...(!isPooled && { options: settings.map((setting) => `-c ${setting}`).join(' ') }),
    types: types as pg.CustomTypesConfig,
  }
}

export function openDatabase(options: DatabaseOptions): Database {
  const { answerWithinMs = ANSWER_WITHIN_MS, isPooled = false } = options
  const isPreparing = prepares(options.url)
  let timeline: string | undefined
  const checkTimeline = async (client: pg.ClientBase): Promise<void> => {
    const { rows } = await client.query<{ it: string | null }>(TIMELINE)
    const found = rows[0]?.it
    // A connection to a standby would outlive its promotion, and its timeline would never be seen.
    if (found === undefined || found === null) throw new StandbyError()
    const isReplaced = timeline !== undefined && found !== timeline
    timeline = found
    if (isReplaced) options.replaced?.()
  }
  // The pool waits for the promise, which its types do not say.
  const hooks: { readonly onConnect: (client: pg.ClientBase) => unknown } = { onConnect: checkTimeline }
  const openPool = (max: number): pg.Pool => {
    const pool = new pg.Pool({
      ...toClientConfig(options),
      max,
      idleTimeoutMillis: 30_000,
      query_timeout: answerWithinMs,
      ...hooks,
    })
    // An idle connection that breaks is replaced by the pool. Without a listener, the error would end the process.
    return pool.on('error', () => undefined)
  }
  const pools = {
    requests: openPool(CONNECTIONS.requests),
    turns: openPool(CONNECTIONS.turns),
    lease: openPool(CONNECTIONS.lease),
  }
  let isClosed = false
  const silence = createSilence(() => isAnswering(options))

  const connect = async ({ patience, lane = 'requests' }: Asked): Promise<pg.PoolClient> => {
    const pool = pools[lane]
    if (isClosed) throw new StorageFault('broken', 'The store is closed.')
    const giveUpAt = performance.now() + QUEUED_MS
    let deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const { answers } = silence
      try {
        return await (patience === 'patient' ? pool.connect() : unlessSilent(() => pool.connect()))
      } catch (error) {
        if (!isLost(error)) throw toConnectFault(error)
        // All connections are in use, and each of them will be free soon.
        if (silence.answers > answers) deadline = Math.min(giveUpAt, performance.now() + PATIENCE_MS)
        if (performance.now() > deadline) {
          silence.suspected()
          throw toFault(error)
        }
        await sleep(PAUSE_MS)
      }
    }
  }

  /** A connection that comes too late goes back. */
  const unlessSilent = async (connecting: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> => {
    let late: Promise<pg.PoolClient> | undefined
    try {
      return await silence.unless(() => (late = connecting()))
    } catch (error) {
      if (error instanceof SilentDatabase) void late?.then((client) => client.release()).catch(() => undefined)
      throw error
    }
  }

  /** The connection of a statement that was given up is closed: its answer may still come. */
  const once = async <T>(work: (query: Query) => Promise<T>, asked: Asked = { patience: 'impatient' }): Promise<T> => {
    const client = await connect(asked)
    // An error between two statements is reported by the next statement.
    const ignore = (): void => undefined
    client.on('error', ignore)
    let isBroken = false
    try {
      return await work(async ({ name, text, values = [] }) => {
        const query = { text, values: values.map(toValue), ...(name !== undefined && isPreparing && { name }) }
        const ask = () => client.query<Record<string, unknown>>(query)
        const result = await (asked.patience === 'patient' ? ask() : silence.unless(ask))
        silence.heard()
        // A text of several statements has several results, which the types do not say.
        return Array.isArray(result) ? [] : result.rows.map(toRow)
      })
    } catch (error) {
      isBroken = isLost(error) || error instanceof SilentDatabase
      if (!isBroken) silence.heard()
      throw error
    } finally {
      client.off('error', ignore)
      client.release(isBroken)
    }
  }

  /** Rejects with the driver's error. */
  const repeatRaw = async <T>(work: () => Promise<T>, isWorthIt: (error: unknown) => boolean): Promise<T> => {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isWorthIt(error) || performance.now() > deadline) throw error
        await sleep(PAUSE_MS)
      }
    }
  }
  const repeat = <T>(work: () => Promise<T>, isWorthIt: (error: unknown) => boolean): Promise<T> =>
    repeatRaw(work, isWorthIt).catch((error: unknown) => {
      throw toFault(error)
    })

  /** Beginning and setting is one round trip. */
  const transact = <T>(setting: string, value: string, work: (query: Query) => Promise<T>): Promise<T> =>
    repeat(
      () =>
        once(async (query) => {
          const set = `SELECT set_config('${setting}', ${pg.escapeLiteral(toText(value))}, true)`
          try {
            await query({ text: `BEGIN; ${set}${isPooled ? SET_TIMEOUTS : ''}` })
            const result = await work(query)
            await query({ text: 'COMMIT' })
            return result
          } catch (error) {
            if (!isLost(error) && !(error instanceof SilentDatabase)) await query({ text: 'ROLLBACK' })
            throw error
          }
        }),
      isRepeatable,
    )

  const lastChanges = new Map<UserId, Promise<unknown>>()
  const change = <T>(userId: UserId, work: (query: Query) => Promise<T>): Promise<T> => {
    const before = lastChanges.get(userId) ?? Promise.resolve()
    const run = before.then(() => transact('polylogue.user', userId, work))
    const settled = run.then(
      () => undefined,
      () => undefined,
    )
    lastChanges.set(userId, settled)
    void settled.then(() => lastChanges.get(userId) === settled && lastChanges.delete(userId))
    return run
  }

  return {
    change,
    read: (statement) =>
      repeat(
        () => once((query) => query(statement), { patience: 'impatient', ...laneOf(statement) }),
        (error) => isLost(error) || isRepeatable(error),
      ),
    write: (statement) =>
      repeatRaw(() => once((query) => query(statement), { patience: 'patient', ...laneOf(statement) }), isRepeatable),
    asUser: (userId, work) => transact('polylogue.user', userId, work),
    asSystem: (work) => transact('polylogue.system', 'on', work),
    async lookForFailover() {
      if (!isPooled) return
      const client = await connect({ patience: 'impatient', lane: 'lease' })
      let isBroken = true
      try {
        await checkTimeline(client)
        isBroken = false
      } catch (error) {
        throw toFault(error)
      } finally {
        client.release(isBroken)
      }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      silence.close()
      await Promise.all(Object.values(pools).map((pool) => pool.end()))
    },
  }
}

/** Whether a new connection gets an answer, be it an error. */
async function isAnswering(options: DatabaseOptions): Promise<boolean> {
  const socket = new Socket()
  const client = new pg.Client({ ...toClientConfig(options), query_timeout: PATIENCE_MS, stream: () => socket })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch (error) {
    return !isLost(error)
  } finally {
    // A server that is frozen does not take leave.
    socket.destroy()
  }
}

/** `?prepare=off` is for poolers that lose prepared statements. */
export const prepares = (url: string): boolean => new URL(url).searchParams.get('prepare') !== 'off'

const laneOf = ({ lane }: Statement): Pick<Statement, 'lane'> => (lane === undefined ? {} : { lane })

const toValue = (value: unknown): unknown => {
  if (typeof value === 'string') return toText(value)
  return Array.isArray(value) ? value.map(toValue) : value
}
