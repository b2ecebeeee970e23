import type { ServerResponse } from 'node:http'

/**
 * Cuts a connection whose client reads nothing of a finished answer for this long: the answer stays in memory until it is
 * read. Node's own socket timer does it, which restarts with every byte that leaves; when all have left, Node sets the
 * timer for idle connections. An open event stream is not finished, so it is not affected.
 */
export function cutWhenStalled(outgoing: ServerResponse, patienceMs: number): void {
  outgoing.on('prefinish', () => outgoing.socket?.setTimeout(patienceMs))
}
