import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientGroup } from '../http/network-address.ts'

/** Limits the connections per address that have not shown a valid key yet. */
export interface UnauthenticatedSockets {
  watch(server: Server): void
  /** A good key was shown: this connection counts no longer. */
  admit(socket: Socket): void
}

export interface UnauthenticatedSocketsOptions {
  readonly perAddress: number
  /** A proxy brings the connections of many clients; behind loopback stand all users of this machine. */
  isExempt(address: string): boolean
  refused(): void
}

export function createUnauthenticatedSockets(options: UnauthenticatedSocketsOptions): UnauthenticatedSockets {
  const { perAddress, isExempt, refused } = options
  const counts = new Map<string, number>()
  const groups = new WeakMap<Socket, string>()
  const release = (socket: Socket): void => {
    const group = groups.get(socket)
    if (group === undefined) return
    groups.delete(socket)
    const rest = (counts.get(group) ?? 1) - 1
    if (rest > 0) counts.set(group, rest)
    else counts.delete(group)
  }
  return {
    watch(server) {
      server.on('connection', (socket: Socket) => {
        const address = socket.remoteAddress ?? ''
        if (isExempt(address)) return
        const group = clientGroup(address)
        const count = counts.get(group) ?? 0
        if (count >= perAddress) {
          refused()
          socket.destroy()
          return
        }
        counts.set(group, count + 1)
        groups.set(socket, group)
        socket.once('close', () => release(socket))
      })
    },
    admit: release,
  }
}
