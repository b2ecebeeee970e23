import type { Clock } from '@polylogue/engine'
import type { Socket } from 'socket.io'
import { cutOff } from './out-buffer.ts'

export interface ReadingPace {
  readonly clock: Clock
  /** Counts what the client has sent. Returns for how many milliseconds to read no more of it. */
  took(bytes: number): number
}

/** A polling client sends its next request whatever we do, so one that is so far ahead is cut off. */
const MOST_AHEAD_MS = 10_000

interface Pausable {
  pause(): void
  resume(): void
}

/** Stops reading from a client that sends more than it may, until it may again. The rest waits at the client. */
export function paceReading(connection: Socket['conn'], { clock, took }: ReadingPace): void {
  let timer: { cancel(): void } | undefined
  connection.on('data', (data: string | Buffer) => {
    const pauseMs = took(data.length)
    if (pauseMs === 0) return
    const webSocket = webSocketOf(connection)
    if (webSocket === undefined) {
      if (pauseMs > MOST_AHEAD_MS) setImmediate(() => cutOff(connection))
      return
    }
    webSocket.pause()
    timer?.cancel()
    timer = clock.setTimer(pauseMs, () => webSocket.resume())
  })
  connection.once('close', () => timer?.cancel())
}

/** The types of the transport hide it. */
function webSocketOf({ transport }: Socket['conn']): Pausable | undefined {
  if (transport.name !== 'websocket') return undefined
  const socket: unknown = Reflect.get(transport, 'socket')
  return isPausable(socket) ? socket : undefined
}

const isPausable = (value: unknown): value is Pausable =>
  typeof value === 'object' && value !== null && 'pause' in value && 'resume' in value
