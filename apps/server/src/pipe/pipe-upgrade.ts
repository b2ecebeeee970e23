import { Duplex } from 'node:stream'
import type { DoorPipe } from '../doors/door.ts'
import { HttpRefusal } from '../http/http-refusal.ts'
import type { UpgradeRoute } from '../http/upgrade-listener.ts'
import { HANDSHAKE_HEADER, pipePathOf, pipeProtocolOf } from './pipe-address.ts'

/** The owner's end of a door's pipes: after the upgrade the socket carries the door's bytes and nothing else. */
export function createPipeUpgrade(door: string, pipe: DoorPipe): UpgradeRoute {
  const protocol = pipeProtocolOf(door)
  return {
    path: pipePathOf(door),
    protocol,
    async upgrade({ incoming, socket, head, refuse }) {
      const handshake = incoming.headers[HANDSHAKE_HEADER]
      if (incoming.headers.upgrade !== protocol || typeof handshake !== 'string') {
        return refuse(400, `Upgrade to ${protocol} with a handshake.`)
      }
      try {
        await pipe.open(handshake, () => {
          socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
          if (head.length > 0) socket.unshift(head)
          const { readable, writable } = Duplex.toWeb(socket)
          return { input: readable, output: writable }
        })
      } catch (error) {
        if (!(error instanceof HttpRefusal)) throw error
        refuse(error.status, error.message, error.headers)
      }
    },
  }
}
