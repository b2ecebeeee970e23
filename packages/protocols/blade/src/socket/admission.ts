import type { Socket } from 'socket.io'
import type { SocketCaller } from './deps.ts'

/** A client that may connect, and the room that it takes. */
export interface Admission {
  readonly caller: SocketCaller
  release(): void
}

/** Its room is given back once: when it is released, or when its connection has gone, also before it was welcomed. */
export function admission(caller: SocketCaller, connection: Socket['conn'], giveBack: () => void): Admission {
  let isHeld = true
  const release = (): void => {
    if (!isHeld) return
    isHeld = false
    connection.off('close', release)
    giveBack()
  }
  connection.on('close', release)
  if (connection.readyState === 'closed') release()
  return { caller, release }
}
