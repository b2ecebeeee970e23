import type { IncomingMessage } from 'node:http'

export const SOCKET_PATH = '/socket.io/'

/** The node in the id of the connection that a request belongs to. `undefined`: a new connection, or an id without one. */
export function nodeOfConnection({ url }: IncomingMessage): string | undefined {
  const id = new URLSearchParams(url?.split('?')[1]).get('sid') ?? ''
  return /^([\w-]+)\./.exec(id)?.[1]
}
