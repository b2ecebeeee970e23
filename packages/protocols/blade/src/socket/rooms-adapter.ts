import { Adapter, type BroadcastOptions, type Session } from 'socket.io-adapter'
import type { Namespace } from 'socket.io'
import { FanOut } from './fan-out.ts'
import { SharedPacket } from './shared-packet.ts'

/** Socket.IO's record of a closed socket. */
type GoneSocket = Omit<Session, 'missedPackets'>

/**
 * Socket.IO's rooms with two differences. A packet is encoded once for all sockets. Broadcasts are not buffered for absent
 * sockets, because the log has what they miss.
 */
export class RoomsAdapter extends Adapter {
  readonly telling = new FanOut({ holds: (socketId, bytes) => void this.emit('holding', socketId, bytes) })

  override broadcast(packet: { nsp?: string }, { rooms }: BroadcastOptions): void {
    const members = this.members(rooms)
    if (members.size === 0) return
    const namespace = this.nsp as Namespace
    packet.nsp = namespace.name
    const shared = SharedPacket.encode(packet, this)
    const write = (socketId: string): void => {
      const socket = namespace.sockets.get(socketId)
      if (socket !== undefined) shared.writeTo(socket.conn)
    }
    this.telling.tell(members, write, shared.bytes)
  }

  /** Each socket is also a room. */
  members(rooms: Iterable<string>): Set<string> {
    const members = new Set<string>()
    for (const room of rooms) for (const socketId of this.rooms.get(room) ?? []) members.add(socketId)
    return members
  }

  override persistSession(session: GoneSocket): void {
    this.emit('socket-gone', session)
  }

  override restoreSession(): Promise<Session> {
    // The type requires a value, but the package accepts `undefined`.
    return Promise.resolve(undefined as unknown as Session)
  }
}
