import type { ServerResponse } from 'node:http'

/**
 * Cuts a connection whose client takes nothing of a finished answer for so long: an answer lies in memory until it is
 * taken, and a client that never reads would keep it there for ever. Node's own timer does it, which is put off by every
 * byte that leaves; when all have left, Node sets the one for idle connections. Event streams are never finished here.
 */
export function cutWhenStalled(outgoing: ServerResponse, patienceMs: number): void {
  outgoing.on('prefinish', () => outgoing.socket?.setTimeout(patienceMs))
}
