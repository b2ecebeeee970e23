import { ALL_NODES, BusInbox, BusOutbox, type BusListener, type Clock, type LiveBus } from '@polylogue/engine'
import pg from 'pg'
import { toClientConfig } from './database.ts'

export interface NotifyBusOptions {
  /** A connection to the server itself: LISTEN does not work through a pooler of transactions. */
  readonly url: string
  readonly nodeId: string
  readonly clock: Clock
}

/** PostgreSQL accepts payloads below 8,000 bytes. */
const MAX_BYTES = 7_500
const RECONNECT_MS = 250
const CHECK_MS = 5_000
const PATIENCE_MS = 2_000

/**
 * Messages by NOTIFY, on a separate connection. They are sent after the commit that they announce and never inside it,
 * because transactions that notify wait for each other.
 */
export function createNotifyBus({ url, nodeId, clock }: NotifyBusOptions): LiveBus {
  const inbox = new BusInbox()
  const listeners: BusListener[] = []
  const upListeners: (() => void)[] = []
  let client: pg.Client | undefined
  let isClosed = false

  const outbox = new BusOutbox({
    clock,
    nodeId,
    maxBytes: MAX_BYTES,
    async deliver(to, text) {
      const current = client
      // While the bus is down, readers query the database.
      if (current === undefined) return
      await within(current, current.query('SELECT pg_notify($1, $2)', [channelOf(to), text]))
    },
  })

  const receive = (payload: string | undefined): void => {
    const opened = payload === undefined ? undefined : inbox.open(payload)
    if (opened === undefined || opened.from === nodeId) return
    for (const message of opened.messages) for (const listener of listeners) listener(opened.from, message)
  }

  /** Drops a connection that does not answer. */
  const within = async (used: pg.Client, work: Promise<unknown>): Promise<void> => {
    const timer = clock.setTimer(PATIENCE_MS, () => drop(used))
    try {
      await work
    } catch {
      drop(used)
    } finally {
      timer.cancel()
    }
  }

  const drop = (used: pg.Client): void => {
    if (client !== used) return
    client = undefined
    used.end().catch(() => undefined)
    if (!isClosed) clock.setTimer(RECONNECT_MS, () => void connect())
  }

  const connect = async (): Promise<void> => {
    if (isClosed) return
    const next = new pg.Client({ ...toClientConfig({ url }), application_name: 'polylogue bus' })
    next.on('notification', ({ payload }) => receive(payload))
    next.on('error', () => drop(next))
    next.on('end', () => drop(next))
    // The network may swallow the answer without closing the connection.
    const timer = clock.setTimer(2 * PATIENCE_MS, () => void next.end().catch(() => undefined))
    try {
      await next.connect()
      await next.query(`LISTEN "${channelOf(ALL_NODES)}"; LISTEN "${channelOf(nodeId)}"`)
    } catch {
      next.end().catch(() => undefined)
      clock.setTimer(RECONNECT_MS, () => void connect())
      return
    } finally {
      timer.cancel()
    }
    if (isClosed) return void next.end().catch(() => undefined)
    client = next
    for (const listener of upListeners) listener()
    check(next)
  }

  const check = (used: pg.Client): void => {
    clock.setTimer(CHECK_MS, () => {
      if (client !== used || isClosed) return
      void within(used, used.query('SELECT 1')).then(() => check(used))
    })
  }

  void connect()
  return {
    send: (to, message) => {
      if (client !== undefined) outbox.add(to, message)
    },
    onMessage: (listener) => void listeners.push(listener),
    get isUp() {
      return client !== undefined
    },
    onUp: (listener) => void upListeners.push(listener),
    async close() {
      isClosed = true
      outbox.close()
      const last = client
      client = undefined
      await last?.end().catch(() => undefined)
    },
  }
}

/** Node ids consist of digits, letters and hyphens. */
const channelOf = (to: string): string => `plg_${to.replace(/[^\w-]/g, '')}`
