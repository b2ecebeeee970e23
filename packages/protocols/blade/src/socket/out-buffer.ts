import type { Clock, Timer } from '@polylogue/engine'
import type { Socket } from 'socket.io'

type Connection = Socket['conn']

/** Longer than a healthy client ever takes to read on, however busy its page. */
const STUCK_MS = 500
/** However quickly it came: this many times the limit is too much at once. */
const AT_ONCE = 32

export interface OutBufferDeps {
  readonly clock: Clock
  readonly limitBytes: number
  /** Called once. */
  tooSlow(): void
}

/**
 * Counts what waits for a client. Packets wait in two places: in the connection until its transport takes them, and in
 * the transport until the kernel has. Both are emptied as a whole. A burst may be more than the limit; a client for which
 * more waits and nothing leaves is too slow.
 */
export function watchOutBuffer(connection: Connection, { clock, limitBytes, tooSlow }: OutBufferDeps): void {
  let waiting = 0
  let leaving = 0
  let largest = 0
  let isOver = false
  let stuck: Timer | undefined
  const giveUp = (): void => {
    stuck?.cancel()
    if (isOver) return
    isOver = true
    tooSlow()
  }
  connection.on('packetCreate', ({ data }: { readonly data?: string | Buffer }) => {
    const size = data?.length ?? 0
    if (size > largest) largest = size
    waiting += size
    const total = waiting + leaving
    if (isOver || total <= limitBytes || total <= 2 * largest) return
    if (total > AT_ONCE * Math.max(limitBytes, largest)) giveUp()
    else stuck ??= clock.setTimer(STUCK_MS, giveUp)
  })
  connection.on('flush', () => {
    leaving += waiting
    waiting = 0
  })
  const drained = (): void => {
    leaving = 0
    stuck?.cancel()
    stuck = undefined
  }
  const watchTransport = (transport: Connection['transport']): void => void transport.on('drain', drained)
  watchTransport(connection.transport)
  connection.on('upgrade', watchTransport)
  connection.on('close', drained)
}

/** Without a goodbye, which would wait behind all the rest. */
export function cutOff(connection: Connection): void {
  connection.close(true)
  connection.request.socket.destroy()
}
