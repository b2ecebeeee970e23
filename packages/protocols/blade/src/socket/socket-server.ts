import type { Clock, UserId } from '@polylogue/engine'
import { onRevoked } from '@polylogue/kit'
import { Server as EngineIoServer } from 'engine.io'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Server, type Socket } from 'socket.io'
import { forGuests } from '../projection/for-guests.ts'
import { MESSAGE_DROPPED } from '../projection/project-runs.ts'
import { toPayload, type ProjectedOutput } from '../projection/projected-output.ts'
import { admission, type Admission } from './admission.ts'
import { createBoundedParser } from './bounded-parser.ts'
import { boundPayloads } from './bounded-payloads.ts'
import type { BladeSocketDeps, SessionChange, ConnectedClient } from './deps.ts'
import { FirstBytes } from './first-bytes.ts'
import { FrameServer } from './frame-server.ts'
import { AWAY_MS, KeptRooms } from './kept-rooms.ts'
import { LiveSessions, type LiveSession } from './live-sessions.ts'
import { cutOff, watchOutBuffer, type OutBuffer } from './out-buffer.ts'
import { paceReading } from './pace-reading.ts'
import { Peer } from './peer.ts'
import { RoomsAdapter } from './rooms-adapter.ts'
import { roomOf, roomOfUser, type Reader } from './rooms.ts'
import { SessionList } from './session-list.ts'
import { UnknownConnections } from './unknown-connections.ts'

/** Shorter than the 30 s after which the most impatient proxies close a silent connection. */
const PING_MS = 15_000
const PONG_MS = 20_000
/** The time to authenticate. */
const CONNECT_MS = 10_000
const READERS: readonly Reader[] = ['owner', 'guest']
const KINDS = ['lean', 'plain'] as const
/** A ping follows these events. Its answer confirms that the client has them. */
const NOT_TO_BE_REPEATED: ReadonlySet<ProjectedOutput['event']> = new Set(['chat:start', 'turn:end', 'chat:end'])

export interface SocketServer {
  handleRequest(incoming: IncomingMessage, outgoing: ServerResponse): void
  handleUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void
  sessionChanged(change: SessionChange): void
  /** Whether a socket of this user is connected. */
  hasUser(userId: UserId): boolean
  clients(): readonly ConnectedClient[]
  close(): void
}

interface Client {
  readonly peer: Peer
  readonly since: number
  readonly outBuffer: OutBuffer
  /** Sends a ping early. */
  ping(): void
}

export function createSocketServer(deps: BladeSocketDeps & { readonly clock: Clock }): SocketServer {
  const { limits, clock } = deps
  const unknown = deps.unknown && new UnknownConnections(deps.unknown)
  const engine = new EngineIoServer({
    // Called once for each new connection, not for its requests.
    allowRequest: (incoming, decide) => decide(null, !isJsonp(incoming) && (unknown?.admit(incoming) ?? true)),
    maxHttpBufferSize: limits.messageBytes,
    httpCompression: false,
    perMessageDeflate: false,
    wsEngine: FrameServer,
    pingInterval: PING_MS,
    pingTimeout: PONG_MS,
  })
  const { nodeId } = deps
  if (nodeId !== undefined) {
    const makeId = engine.generateId.bind(engine)
    engine.generateId = async (incoming: IncomingMessage) => `${nodeId}.${String(await makeId(incoming))}`
  }
  const io = new Server({
    adapter: RoomsAdapter,
    parser: createBoundedParser(limits.json),
    serveClient: false,
    connectTimeout: CONNECT_MS,
    // Gives each client a private id for recovery. Authentication is repeated on every connection.
    connectionStateRecovery: { maxDisconnectionDuration: AWAY_MS, skipMiddlewares: false },
  })
  const clients = new Map<string, Client>()
  const kept = new KeptRooms({ store: deps.kept, digest: deps.digest, clock, log: (entry) => deps.log(entry) })
  const firstBytes = new FirstBytes({ firstBytes: limits.unauthenticatedBytes, messageBytes: limits.messageBytes })
  const admitted = new WeakMap<Socket, Admission>()

  const lives = new LiveSessions(deps, {
    told: broadcast,
    recorded(session, event) {
      if (event.type !== 'session.configured' || event.settings.isShared !== false) return
      for (const { peer } of clients.values()) if (!peer.isOwner(session)) peer.leave(session.sessionId)
    },
    closed({ sessionId, owner }, reason) {
      if (reason === 'deleted') {
        const watching = READERS.flatMap((reader) => KINDS.map((kind) => roomOf(sessionId, kind, reader)))
        io.to([...watching, roomOfUser(owner)]).emit('session:deleted', { session_id: sessionId })
      }
      for (const { peer } of clients.values()) peer.leave(sessionId)
    },
  })
  const list = new SessionList({
    agents: deps.agents,
    isLive: (sessionId) => lives.has(sessionId),
    tell: (userId, { event, payload }) => io.to(roomOfUser(userId)).emit(event, payload),
  })

  engine.on('connection', (connection: Socket['conn']) => {
    firstBytes.opened(connection)
    unknown?.opened(connection)
    boundPayloads(connection)
  })
  io.bind(engine)
  const rooms = roomsOf(io)
  /** Rooms with events that no ping has confirmed. */
  const unconfirmed = new Set<string>()
  rooms.on('holding', (socketId: string, bytes: number) => clients.get(socketId)?.outBuffer.hold(bytes))
  rooms.on('socket-gone', ({ sid, pid }: { readonly sid: string; readonly pid: string }) => {
    const client = clients.get(sid)
    if (client !== undefined) kept.keep(pid, client.peer.kept)
  })

  const admit = async (socket: Socket, next: (error?: Error) => void): Promise<void> => {
    const problem = await identify(socket)
    next(problem === undefined ? undefined : new Error(problem))
  }
  io.use((socket, next) => void admit(socket, next))
  io.on('connection', welcome)

  /** The reason for a refused connection. */
  async function identify(socket: Socket): Promise<string | undefined> {
    const { token } = socket.handshake.auth
    const shown = typeof token === 'string' && token !== '' ? token : undefined
    try {
      const caller = await deps.authenticate(socket.request, shown)
      if (caller === undefined || caller.revoked.aborted) return 'unauthorized'
      const giveBack = deps.sockets.admit(caller)
      if (giveBack === undefined) return 'too_many_sockets'
      admitted.set(socket, admission(caller, socket.conn, giveBack))
      return undefined
    } catch (error) {
      deps.log({ level: 'error', message: 'a socket could not be authenticated', error })
      return 'unavailable'
    }
  }

  function welcome(socket: Socket): void {
    const { caller, release } = admitted.get(socket) ?? {}
    if (caller === undefined || release === undefined) return void socket.disconnect(true)
    const { conn: connection } = socket
    const { lean, pid } = socket.handshake.auth
    firstBytes.known(connection)
    unknown?.known(connection)
    const { took } = deps.sockets
    if (took !== undefined) paceReading(connection, { clock, took: (bytes) => took(caller, bytes) })
    const peer = new Peer({ socket, caller, isLean: lean === true, lives, rooms: kept }, deps)
    const outBuffer = watchOutBuffer(connection, {
      clock,
      limitBytes: limits.outBufferBytes,
      drained: () => rooms.telling.drained(socket.id),
      tooSlow() {
        deps.sockets.dropped()
        // Later: a packet may be in the middle of being written.
        setImmediate(() => cutOff(connection))
      },
    })
    const ping = (): void => void (peer.mayPing && sendPing(connection))
    clients.set(socket.id, { peer, since: clock.now(), outBuffer, ping })
    if (caller.onlySession === undefined) void socket.join(roomOfUser(caller.userId))
    connection.on('packetCreate', ({ type }: { readonly type: string }) => {
      if (type === 'ping') peer.pinged({ isAhead: rooms.telling.isWaiting(socket.id) })
      else rooms.telling.flush(socket.id)
    })
    connection.on('heartbeat', () => peer.ponged())
    const forget = onRevoked(caller.revoked, () => socket.disconnect(true))
    socket.on('disconnect', () => {
      forget()
      rooms.telling.gone(socket.id)
      clients.delete(socket.id)
      peer.leaveAll()
      release()
    })
    if (typeof pid === 'string') peer.recover(() => kept.take(pid, caller.userId))
  }

  function broadcast(session: LiveSession, output: ProjectedOutput): void {
    const shown = forGuests(output)
    if (shown === output) return tell(session, output, READERS)
    tell(session, output, ['owner'])
    if (shown !== undefined) tell(session, shown, ['guest'])
  }

  function tell({ sessionId, owner }: LiveSession, output: ProjectedOutput, readers: readonly Reader[]): void {
    const { event } = output
    const lean = readers.map((reader) => roomOf(sessionId, 'lean', reader))
    const plain = readers.map((reader) => roomOf(sessionId, 'plain', reader))
    const all = [...lean, ...plain]
    if (event === 'session:updated' || isForUser(output)) {
      io.to([...all, roomOfUser(owner)]).emit(event, output.payload)
    } else if (event !== 'turn:patch') {
      io.to(all).emit(event, output.payload)
      if (NOT_TO_BE_REPEATED.has(event)) confirmSoon(all)
    } else {
      if (lean.some((room) => rooms.rooms.has(room))) io.to(lean).emit(event, toPayload(output, 'lean'))
      if (plain.some((room) => rooms.rooms.has(room))) io.to(plain).emit(event, toPayload(output, 'plain'))
    }
  }

  /** After all events of the same tick. */
  function confirmSoon(told: readonly string[]): void {
    if (unconfirmed.size === 0) setImmediate(confirm)
    for (const room of told) unconfirmed.add(room)
  }

  /** Asks clients to confirm, so that a later reconnect does not repeat these events. */
  function confirm(): void {
    const socketsTold = rooms.members(unconfirmed)
    unconfirmed.clear()
    rooms.telling.tell(socketsTold, (socketId) => clients.get(socketId)?.ping())
  }

  return {
    handleRequest: (incoming, outgoing) => engine.handleRequest(incoming, outgoing),
    handleUpgrade(incoming, socket, head) {
      const query = new URLSearchParams(incoming.url?.split('?')[1])
      firstBytes.count(socket, query.get('sid') ?? undefined)
      engine.handleUpgrade(incoming, socket, head)
    },
    hasUser: (userId) => rooms.rooms.has(roomOfUser(userId)),
    sessionChanged(change) {
      if (clients.size > 0) list.changed(change)
    },
    clients: () =>
      [...clients.values()].flatMap(({ peer, since }) => peer.attached.map((client) => ({ ...client, since }))),
    close() {
      rooms.telling.flushAll()
      // Without a disconnect packet: clients that get one do not reconnect.
      engine.close()
      lives.close()
    },
  }
}

/** The sender of a dropped message may be watching another session now. */
const isForUser = ({ event, payload }: ProjectedOutput): boolean =>
  event === 'system:notification' && payload.notification_type === MESSAGE_DROPPED

/** JSONP would run our answer as a script in any page. */
const isJsonp = ({ url }: IncomingMessage): boolean => new URLSearchParams(url?.split('?')[1]).has('j')

function roomsOf(io: Server): RoomsAdapter {
  const { adapter } = io.of('/')
  if (!(adapter instanceof RoomsAdapter)) throw new Error('expected the adapter of this server')
  return adapter
}

/** What the connection does at intervals. Its types hide it. */
function sendPing(connection: Socket['conn']): void {
  const sendPacket: unknown = Reflect.get(connection, 'sendPacket')
  if (typeof sendPacket === 'function') Reflect.apply(sendPacket, connection, ['ping'])
}
