import { connect } from 'node:net'
import { isLoopback } from '../http/network-address.ts'

/**
 * `fetch`, which first tries whether anybody listens if the address is one of this machine. The first call of `fetch`
 * takes 40 ms, and most machines have no model server.
 */
export const localFetch: typeof globalThis.fetch = async (input, init) => {
  const { hostname, port, protocol } = new URL(input instanceof URL || typeof input === 'string' ? input : input.url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isLoopback(host)) await reach(host, Number(port) || (protocol === 'https:' ? 443 : 80), init?.signal)
  return fetch(input, init)
}

/** Rejects if nobody listens. */
function reach(host: string, port: number, signal: AbortSignal | null | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ host, port, ...(signal && { signal }) })
  socket.once('connect', resolve)
  socket.once('error', reject)
  return promise.finally(() => socket.destroy())
}
