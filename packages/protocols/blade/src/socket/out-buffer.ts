import type { Clock, Timer } from '@polylogue/engine'
import type { Socket } from 'socket.io'
import { sizeOf } from './shared-packet.ts'

type Connection = Socket['conn']

/** Longer than a healthy client takes to read on, however busy its page is. */
const STUCK_MS = 500
/** So many times the limit is too much at once, however quickly it came. */
const AT_ONCE = 32

export interface OutBufferDeps {
  readonly clock: Clock
  readonly limitBytes: number
  /** Called once. */
  tooSlow(): void
}

/**
 * Counts what waits for a client. Packets wait in two places: in the connection until its transport takes them, and in
 * the transport until the kernel has them. Both are emptied as a whole. A burst may exceed the limit; a client is too
 * slow when more than that waits and no byte leaves.
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
  /** A large write ends only when its last byte has left, so that its progress counts and not its end. */
  const watchProgress = (): void => {
    const before = unsentBytes(connection)
    stuck = clock.setTimer(STUCK_MS, () => {
      const now = unsentBytes(connection)
      if (before !== undefined && now !== undefined && now < before) watchProgress()
      else giveUp()
    })
  }
  connection.on('packetCreate', ({ data, options }: { readonly data?: string | Buffer; readonly options?: object }) => {
    const size = sizeOf(options) ?? data?.length ?? 0
    if (size > largest) largest = size
    waiting += size
    const total = waiting + leaving
    if (isOver || total <= limitBytes || total <= 2 * largest) return
    if (total > AT_ONCE * Math.max(limitBytes, largest)) giveUp()
    else if (stuck === undefined) watchProgress()
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

/** What the kernel has not taken yet of all writes so far. `undefined` where the transport has no socket of its own. */
function unsentBytes({ transport }: Connection): number | undefined {
  const webSocket: unknown = Reflect.get(transport, 'socket')
  const socket: unknown = isObject(webSocket) ? Reflect.get(webSocket, '_socket') : undefined
  const handle: unknown = isObject(socket) ? Reflect.get(socket, '_handle') : undefined
  const size: unknown = isObject(handle) ? Reflect.get(handle, 'writeQueueSize') : undefined
  return typeof size === 'number' ? size : undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Without a close packet, which would wait behind everything else. */
export function cutOff(connection: Connection): void {
  connection.close(true)
  connection.request.socket.destroy()
}
