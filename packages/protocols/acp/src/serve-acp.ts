import type { SessionId } from '@polylogue/engine'
import { Connection } from './connection/connection.ts'
import { toMethods } from './connection/methods.ts'
import { closeSession } from './connection/open-session.ts'
import type { AcpConnection, AcpConnectionOptions, AcpDeps } from './deps.ts'
import { OutQueue } from './rpc/out-queue.ts'
import { RpcPeer, type RpcMethods } from './rpc/rpc-peer.ts'

/** How long a closing connection may take to answer open requests. */
const END_MS = 5_000

/** Serves the Agent Client Protocol to one client until its input ends or `close` is called. */
export function serveAcp(options: AcpConnectionOptions, deps: AcpDeps): AcpConnection {
  const { limits } = deps
  const stop = new AbortController()
  const log = deps.log.bind(deps)
  const out = new OutQueue({
    output: options.output,
    fullAt: limits.outBufferBytes,
    // Room for the largest event on top of a full queue.
    breaksAt: limits.outBufferBytes + 2 * limits.frameBytes,
    broken: (error) => {
      log({ level: 'info', message: 'a client stopped reading', error })
      stop.abort()
    },
  })
  let methods: RpcMethods | undefined
  const peer = new RpcPeer({ out, frameBytes: limits.frameBytes, jsonDepth: limits.jsonDepth, log }, () => {
    methods ??= toMethods(connection)
    return methods
  })
  const connection: Connection = new Connection({ deps, options, peer, out })
  const cancelsTurns = options.recovery === 'interrupt'

  async function run(): Promise<void> {
    try {
      await peer.read(options.input, stop.signal)
    } catch (error) {
      log({ level: 'warn', message: 'reading from a client failed', error })
    }
    await withinBounds(end())
    await withinBounds(out.end())
    out.abort()
  }

  /** Answers open requests. Calls that wait for a human stay open for other clients. */
  async function end(): Promise<void> {
    for (const { session } of connection.sessions.values()) session.stopAsking()
    peer.abandonRequests()
    // Repeat for sessions that were being opened meanwhile.
    do {
      const ids = [...connection.sessions.keys()]
      await Promise.all(ids.map((id) => (cancelsTurns ? closeSession(connection, id) : leaveSession(id))))
      await peer.answered()
    } while (connection.sessions.size > 0)
    await out.flushed()
  }

  /** A session with an active turn keeps its MCP servers. */
  async function leaveSession(sessionId: SessionId): Promise<void> {
    const isAtWork = (await connection.find(sessionId))?.turnId !== undefined
    connection.sessions.get(sessionId)?.session.close('interrupted')
    connection.sessions.delete(sessionId)
    if (!isAtWork) await deps.sessionServers.close(sessionId)
  }

  function withinBounds(work: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = deps.clock.setTimer(END_MS, resolve)
    const failed = (error: unknown): void => log({ level: 'error', message: 'closing a connection failed', error })
    void work.catch(failed).then(resolve)
    return promise.finally(() => timer.cancel())
  }

  const closed = run()
  return {
    closed,
    close(reason) {
      if (reason !== undefined) log({ level: 'info', message: 'closing a connection', reason })
      stop.abort()
      return closed
    },
    hasOpenTurns: () => [...connection.sessions.values()].some(({ session }) => session.own.size > 0),
    sessions: () => [...connection.sessions.keys()],
    cursorOf: (sessionId) => connection.sessions.get(sessionId)?.session.cursor,
    clientName: () => connection.clientName,
  }
}
