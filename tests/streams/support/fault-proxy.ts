// A TCP proxy that spoils connections in the ways networks and dying clients do.
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** What happens to one connection; nothing unless said. Bytes are counted on their way to the client, headers too. */
export interface Fault {
  /** How long every piece of an answer is under way. */
  readonly delayMs?: number
  /** How fast an answer passes. */
  readonly bytesPerSecond?: number
  /** Both ends are reset after so many bytes; after 0, as soon as the server answers. */
  readonly cutAfter?: number
  /** The client is told that the answer is over after so many bytes; the server is told nothing. */
  readonly endAfter?: number
  /** Nothing passes any more, in either direction, and nobody is told. */
  readonly blackholeAfter?: number
  /** The client's leaving, in whatever way, is kept from the server, and what the server says is not read any more. */
  readonly hidesLeaving?: boolean
  /** A second connection says the same to the server, and nobody hears its answer. */
  readonly isDoubled?: boolean
}

export interface FaultProxy {
  readonly url: string
  readonly port: number
  /** Connections to the server that are open. */
  readonly openCount: number
  /** Bytes that clients were given, of all connections. */
  readonly passedBytes: number
  /** One fault each for the connections to come, instead of what was planned before; none for those after them. */
  plan(...faults: readonly Fault[]): void
  /** From now on every connection without a plan of its own has this fault. */
  spoilAll(fault: Fault): void
  /** Ends what it still holds. Idempotent. */
  stop(): Promise<void>
}

const SLICES_PER_SECOND = 10

export async function startFaultProxy(target: { readonly url: string }): Promise<FaultProxy> {
  const { hostname, port } = new URL(target.url)
  const planned: Fault[] = []
  const stopping = new AbortController()
  const upstream = new Set<Socket>()
  const held = new Set<Socket>()
  const count = { passed: 0 }
  let usual: Fault = {}

  const reach = (): Socket => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true })
    upstream.add(socket)
    return hold(socket, () => upstream.delete(socket))
  }
  const hold = (socket: Socket, onClose?: () => void): Socket => {
    held.add(socket)
    // An end that breaks off is what this program is about; `close` follows and is where we act on it.
    socket.on('error', () => socket.destroy())
    return socket.on('close', () => {
      held.delete(socket)
      onClose?.()
    })
  }

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const fault = planned.shift() ?? usual
    hold(client)
    const server = reach()
    passUp(client, fault.isDoubled === true ? [server, reach().resume()] : [server], fault)
    passDown({ server, client, fault, count, stopping: stopping.signal }).catch(() => cut(client, server))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const own = (listener.address() as AddressInfo).port

  return {
    url: `http://127.0.0.1:${own}`,
    port: own,
    get openCount() {
      return upstream.size
    },
    get passedBytes() {
      return count.passed
    },
    plan: (...faults) => void planned.splice(0, Infinity, ...faults),
    spoilAll(fault) {
      usual = fault
    },
    async stop() {
      if (stopping.signal.aborted) return
      stopping.abort()
      const closed = [...held].map((socket) => new Promise((resolve) => socket.on('close', resolve).destroy()))
      await Promise.all([...closed, new Promise((resolve) => listener.close(resolve))])
    },
  }
}

function passUp(client: Socket, servers: readonly Socket[], { hidesLeaving = false }: Fault): void {
  client.on('data', (bytes) => {
    for (const server of servers) server.write(bytes)
  })
  if (hidesLeaving) return
  client.on('end', () => servers.forEach((server) => server.end()))
  client.on('close', (isBroken) => {
    for (const server of servers) server[isBroken ? 'resetAndDestroy' : 'destroy']()
  })
}

interface WayDown {
  readonly server: Socket
  readonly client: Socket
  readonly fault: Fault
  readonly count: { passed: number }
  readonly stopping: AbortSignal
}

async function passDown({ server, client, fault, count, stopping }: WayDown): Promise<void> {
  const { cutAfter = Infinity, endAfter = Infinity, blackholeAfter = Infinity, hidesLeaving = false } = fault
  const limit = Math.min(cutAfter, endAfter, blackholeAfter)
  let passed = 0
  let hasLeft = false
  client.once('end', () => (hasLeft = true)).once('close', () => (hasLeft = true))
  for await (const chunk of server.iterator({ destroyOnReturn: false })) {
    if (hasLeft && hidesLeaving) return
    const allowed = (chunk as Buffer).subarray(0, limit - passed)
    passed += allowed.length
    count.passed += allowed.length
    for (const piece of slice(allowed, fault.bytesPerSecond)) {
      await pause(fault, stopping)
      await write(client, piece)
    }
    if (passed < limit) continue
    if (limit === blackholeAfter) return void client.pause()
    if (limit === endAfter) return void client.end()
    return cut(client, server)
  }
  client.end()
}

function cut(...sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.resetAndDestroy()
}

function slice(bytes: Buffer, bytesPerSecond: number | undefined): Buffer[] {
  if (bytesPerSecond === undefined) return bytes.length === 0 ? [] : [bytes]
  const size = Math.max(1, Math.floor(bytesPerSecond / SLICES_PER_SECOND))
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

async function pause({ delayMs = 0, bytesPerSecond }: Fault, signal: AbortSignal): Promise<void> {
  const ms = delayMs + (bytesPerSecond === undefined ? 0 : 1000 / SLICES_PER_SECOND)
  if (ms > 0) await delay(ms, undefined, { signal })
}

/** Until the system has them, or the other end is gone. */
function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.write(bytes, () => resolve())
  })
}
