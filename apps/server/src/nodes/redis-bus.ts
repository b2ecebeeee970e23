import { ALL_NODES, BusInbox, BusOutbox, type BusListener, type Clock, type LiveBus } from '@polylogue/engine'
import { Redis } from 'ioredis'

export interface RedisBusOptions {
  /** `redis://host:port`. */
  readonly url: string
  readonly nodeId: string
  readonly clock: Clock
  /** Called with a reason when messages stop, and with none when they go again. */
  report(problem?: string): void
}

/** Larger texts are cut into pieces, so that one of them does not hold up the others. */
const MAX_BYTES = 256 * 1024
const RECONNECT_MS = 250
/** A server that is frozen, or behind a network that is, closes no connection. */
const CHECK_MS = 5_000
const PATIENCE_MS = 2_000

/**
 * Messages by publish and subscribe of Redis, for clusters that outgrow the database's own. Nothing is stored there:
 * what is lost with Redis is found in the database.
 */
export function createRedisBus({ url, nodeId, clock, report }: RedisBusOptions): LiveBus {
  const inbox = new BusInbox()
  const listeners: BusListener[] = []
  const upListeners: (() => void)[] = []
  const connect = (): Redis =>
    new Redis(url, {
      retryStrategy: () => RECONNECT_MS,
      // A message that cannot be sent now is worthless later.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResubscribe: false,
    })
  const publisher = connect()
  const subscriber = connect()
  let isSubscribed = false
  let isPublishing = false
  let isClosed = false
  let isToldDown = false

  /** Drops a connection that does not answer; it is made again. */
  const within = (client: Redis, work: Promise<unknown>): Promise<void> => {
    const timer = clock.setTimer(PATIENCE_MS, () => drop(client))
    // What cannot be sent now is worthless later.
    return work
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => timer.cancel())
  }
  const drop = (client: Redis): void => {
    if (client === publisher) isPublishing = false
    else isSubscribed = false
    client.disconnect(true)
  }
  const check = (client: Redis): void => {
    clock.setTimer(CHECK_MS, () => {
      if (isClosed) return
      // The server has accepted the connection, and then said nothing.
      if (client.status === 'connect') drop(client)
      void within(client, client.ping()).then(() => check(client))
    })
  }

  const outbox = new BusOutbox({
    clock,
    nodeId,
    maxBytes: MAX_BYTES,
    deliver: (to, text) => within(publisher, publisher.publish(channelOf(to), text)),
  })
  const isUp = (): boolean => isSubscribed && isPublishing
  const checkUp = (): void => {
    if (!isUp()) return
    if (isToldDown) report()
    isToldDown = false
    for (const listener of upListeners) listener()
  }
  // It is tried again several times a second.
  const tellDown = (reason: string): void => {
    if (isToldDown || isClosed) return
    isToldDown = true
    report(reason)
  }

  for (const client of [publisher, subscriber]) {
    client.on('error', (error: Error) => tellDown(reasonOf(error)))
    client.on('close', () => tellDown('the connection was lost'))
    check(client)
  }
  publisher.on('close', () => (isPublishing = false))
  publisher.on('ready', () => {
    isPublishing = true
    checkUp()
  })
  subscriber.on('close', () => (isSubscribed = false))
  subscriber.on('ready', () => {
    subscriber.subscribe(channelOf(ALL_NODES), channelOf(nodeId)).then(
      () => {
        isSubscribed = true
        checkUp()
      },
      // A lost connection is replaced, and subscribes again.
      () => undefined,
    )
  })
  subscriber.on('message', (_channel, text) => {
    const opened = inbox.open(text)
    if (opened === undefined || opened.from === nodeId) return
    for (const message of opened.messages) for (const listener of listeners) listener(opened.from, message)
  })

  return {
    send: (to, message) => {
      if (isUp()) outbox.add(to, message)
    },
    onMessage: (listener) => void listeners.push(listener),
    get isUp() {
      return isUp()
    },
    onUp: (listener) => void upListeners.push(listener),
    async close() {
      if (isClosed) return
      isClosed = true
      outbox.close()
      publisher.disconnect()
      subscriber.disconnect()
    },
  }
}

/** Several addresses that refuse are one error without a text. */
const reasonOf = (error: Error): string =>
  error.message || ('code' in error && typeof error.code === 'string' ? error.code : error.name)

const channelOf = (to: string): string => `polylogue:${to}`
