import { Adapter, type BroadcastOptions, type Session } from 'socket.io-adapter'
import type { Namespace } from 'socket.io'
import { FanOut } from './fan-out.ts'
import { SharedPacket } from './shared-packet.ts'

/** What Socket.IO knows of a socket that has gone. */
type GoneSocket = Omit<Session, 'missedPackets'>

/**
 * Socket.IO's rooms, with one difference: a packet is encoded once, however many sockets get it and in however many
 * pieces. Broadcasts are not buffered for sockets that are away, because what they miss is in the log.
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

  /** Every socket is also a room of its own. */
  members(rooms: Iterable<string>): Set<string> {
    const members = new Set<string>()
    for (const room of rooms) for (const socketId of this.rooms.get(room) ?? []) members.add(socketId)
    return members
  }

  override persistSession(session: GoneSocket): void {
    this.emit('socket-gone', session)
  }

  override restoreSession(): Promise<Session> {
    // The package types it like this, but accepts nothing as an answer.
    return Promise.resolve(undefined as unknown as Session)
  }
}
