import { existsSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { openSocketAddress } from '../owner/socket-address.ts'
import { isAbsence } from '../owner/owner-absence.ts'
import { request } from '../platform/node-http.ts'
import { EXIT_FAILURE, ServeError } from '../serve-error.ts'
import type { Back } from './back.ts'
import { HANDSHAKE_HEADER, pipePathOf, pipeProtocolOf } from './pipe-address.ts'

const UNAVAILABLE = 503

export interface PipeRequest {
  /** The name of the door. */
  readonly door: string
  readonly handshake: string
}

/** A pipe to the owner of this data directory. `undefined`: there is no owner, or it is starting or leaving. */
export async function connectPipe(dataDir: string, request: PipeRequest): Promise<Back | undefined> {
  const address = openSocketAddress(dataDir)
  try {
    if (address.isFile && !existsSync(address.path)) return undefined
    return toBack(await upgrade(address.path, request))
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

function upgrade(socketPath: string, { door, handshake }: PipeRequest): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const outgoing = request({
    socketPath,
    path: pipePathOf(door),
    headers: {
      host: 'localhost',
      connection: 'Upgrade',
      upgrade: pipeProtocolOf(door),
      [HANDSHAKE_HEADER]: handshake,
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
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
  return new Refused(status, typeof error === 'string' ? error : `The owner answered ${status}.`)
}

function toBack(socket: Socket): Back {
  socket.setTimeout(0)
  // An error of the socket ends its output, which is where it is noticed.
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
    // A reset, or a killed owner, is an end like any other.
    socket.destroy()
  }
}
