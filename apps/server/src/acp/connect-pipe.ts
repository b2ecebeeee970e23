import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { openSocketAddress } from '../owner/socket-address.ts'
import { isAbsence } from '../owner/owner-absence.ts'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import type { Back } from './back.ts'
import { isObject } from './frame.ts'
import { HANDSHAKE_HEADER, PIPE_PATH, PIPE_PROTOCOL, writeHandshake, type AcpHandshake } from './handshake.ts'

const UNAVAILABLE = 503

/** A pipe to the owner of this data directory; `undefined` where there is none, and where it is just coming or going. */
export async function connectPipe(dataDir: string, handshake: AcpHandshake): Promise<Back | undefined> {
  const address = openSocketAddress(dataDir)
  try {
    return toBack(await upgrade(address.path, handshake))
  } catch (error) {
    if (isAbsence(error)) return undefined
    if (error instanceof Refused && error.status === UNAVAILABLE) return undefined
    if (error instanceof Refused) throw new ServeError(error.message, EXIT_FAILURE)
    throw error
  } finally {
    address.close()
  }
}

class Refused extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

function upgrade(socketPath: string, handshake: AcpHandshake): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const outgoing = request({
    socketPath,
    path: PIPE_PATH,
    headers: {
      host: 'localhost',
      connection: 'Upgrade',
      upgrade: PIPE_PROTOCOL,
      [HANDSHAKE_HEADER]: writeHandshake(handshake),
    },
    agent: false,
  })
  outgoing.on('error', reject)
  outgoing.on('response', (incoming) => void readRefusal(incoming).then(reject, reject))
  outgoing.on('upgrade', (_incoming, socket: Socket, head: Buffer) => {
    if (head.length > 0) socket.unshift(head)
    resolve(socket)
  })
  outgoing.end()
  return promise
}

async function readRefusal(incoming: IncomingMessage): Promise<Refused> {
  const status = incoming.statusCode ?? 0
  const body: unknown = await json(incoming).catch(() => undefined)
  const said = isObject(body) && typeof body['error'] === 'string' ? body['error'] : `The owner answered ${status}.`
  return new Refused(status, said)
}

function toBack(socket: Socket): Back {
  socket.setTimeout(0)
  // What goes wrong with the socket ends what is read from it.
  socket.on('error', () => undefined)
  return {
    send(bytes) {
      if (socket.writable) socket.write(bytes)
    },
    end: () => void socket.end(),
    output: readAll(socket),
  }
}

async function* readAll(socket: Socket): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of socket) if (chunk instanceof Uint8Array) yield chunk
  } catch {
    // It was reset, or its owner was killed: the end, like any other.
    socket.destroy()
  }
}
