import type { Socket } from 'socket.io'
import type { SocketCaller } from './deps.ts'

/** A client that may connect, and the slot it uses. */
export interface Admission {
  readonly caller: SocketCaller
  release(): void
}

/** Frees the slot once: on release, or when the connection closes, even before the handshake ended. */
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
