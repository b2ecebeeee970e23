import type { Clock, Timer } from '@polylogue/engine'
import type { Socket } from 'socket.io'
import { sizeOf } from './shared-packet.ts'

type Connection = Socket['conn']

/** As for event streams: longer than a healthy client takes to read on, however busy its machine is. */
const STUCK_MS = 5_000
/** More than this many times the limit is too much, however quickly it came. */
const AT_ONCE = 32

export interface OutBufferDeps {
  readonly clock: Clock
  readonly limitBytes: number
  /** Called when the client has taken everything that was written to its connection. */
  drained(): void
  /** Called once. */
  tooSlow(): void
}

export interface OutBuffer {
  /** The bytes that wait for the client before they are written to its connection. */
  hold(bytes: number): void
}

/**
 * Counts what waits for a client. Packets wait in three places: before they are written, in the connection until its
 * transport takes them, and in the transport until the kernel has them. The last two are emptied as a whole. A burst may
 * exceed the limit; a client is too slow when more than that waits, something was written to it, and no byte leaves.
 */
export function watchOutBuffer(connection: Connection, deps: OutBufferDeps): OutBuffer {
  const { clock, limitBytes, tooSlow } = deps
  let held = 0
  let waiting = 0
  let leaving = 0
  let largest = 0
  let isOver = false
  let stuck: Timer | undefined
  const stop = (): void => {
    stuck?.cancel()
    stuck = undefined
  }
  const giveUp = (): void => {
    stop()
    if (isOver) return
    isOver = true
    tooSlow()
  }
  const isTooMuch = (): boolean => held + waiting + leaving > Math.max(limitBytes, 2 * largest)
  /** A large write ends only when its last byte has left, so that its progress counts and not its end. */
  const watchProgress = (): void => {
    const before = takenBytes(connection)
    stuck = clock.setTimer(STUCK_MS, () => {
      stuck = undefined
      const now = takenBytes(connection)
      const isIdle = waiting + leaving === 0
      if (!isIdle && (before === undefined || now === undefined || now <= before)) giveUp()
      else if (isTooMuch()) watchProgress()
    })
  }
  const look = (): void => {
    if (isOver || !isTooMuch()) return
    if (held + waiting + leaving > AT_ONCE * Math.max(limitBytes, largest)) giveUp()
    else if (stuck === undefined) watchProgress()
  }
  connection.on('packetCreate', ({ data, options }: { readonly data?: string | Buffer; readonly options?: object }) => {
    const size = sizeOf(options) ?? data?.length ?? 0
    if (size > largest) largest = size
    waiting += size
    look()
  })
  connection.on('flush', () => {
    leaving += waiting
    waiting = 0
  })
  const drained = (): void => {
    leaving = 0
    stop()
    // What was written meanwhile is flushed next.
    if (waiting === 0) deps.drained()
  }
  const watchTransport = (transport: Connection['transport']): void => void transport.on('drain', drained)
  watchTransport(connection.transport)
  connection.on('upgrade', (transport: Connection['transport']) => {
    watchTransport(transport)
    deps.drained()
  })
  connection.on('close', stop)
  return {
    hold(bytes) {
      held = bytes
      look()
    },
  }
}

/** How much the kernel has taken of all writes so far. `undefined` where the transport has no socket of its own. */
function takenBytes({ transport }: Connection): number | undefined {
  const webSocket: unknown = Reflect.get(transport, 'socket')
  const socket: unknown = isObject(webSocket) ? Reflect.get(webSocket, '_socket') : undefined
  const handle: unknown = isObject(socket) ? Reflect.get(socket, '_handle') : undefined
  if (!isObject(handle)) return undefined
  const written: unknown = Reflect.get(handle, 'bytesWritten')
  const queued: unknown = Reflect.get(handle, 'writeQueueSize')
  return typeof written === 'number' && typeof queued === 'number' ? written - queued : undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Without a close packet, which would wait behind everything else. */
export function cutOff(connection: Connection): void {
  connection.close(true)
  connection.request.socket.destroy()
}
