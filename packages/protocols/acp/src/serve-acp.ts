import type { SessionId } from '@polylogue/engine'
import { Connection } from './connection/connection.ts'
import { toMethods } from './connection/methods.ts'
import { closeSession } from './connection/open-session.ts'
import type { AcpConnection, AcpConnectionOptions, AcpDeps } from './deps.ts'
import { OutQueue } from './rpc/out-queue.ts'
import { RpcPeer, type RpcMethods } from './rpc/rpc-peer.ts'

/** How long a connection that ends may take to answer what is open. */
const END_MS = 5_000

/** Speaks the Agent Client Protocol with one client, until its input ends or somebody closes the connection. */
export function serveAcp(options: AcpConnectionOptions, deps: AcpDeps): AcpConnection {
  const { limits } = deps
  const stop = new AbortController()
  const log = deps.log.bind(deps)
  const out = new OutQueue({
    output: options.output,
    fullAt: limits.outBufferBytes,
    // More than any one event, and what was full before it.
    breaksAt: limits.outBufferBytes + 2 * limits.frameBytes,
    broken: (error) => {
      log({ level: 'info', message: 'a client does not take anything any more', error })
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
      log({ level: 'warn', message: 'the input of a client cannot be read any more', error })
    }
    await withinBounds(end())
    await withinBounds(out.end())
    out.abort()
  }

  /** What is open is answered; what waits for somebody stays open for others. */
  async function end(): Promise<void> {
    for (const { session } of connection.sessions.values()) session.stopAsking()
    peer.abandonRequests()
    // Again, for what was being opened when the end came.
    do {
      const ids = [...connection.sessions.keys()]
      await Promise.all(ids.map((id) => (cancelsTurns ? closeSession(connection, id) : leaveSession(id))))
      await peer.answered()
    } while (connection.sessions.size > 0)
    await out.flushed()
  }

  /** A turn that goes on keeps its servers. */
  async function leaveSession(sessionId: SessionId): Promise<void> {
    const isAtWork = (await connection.find(sessionId))?.turnId !== undefined
    connection.sessions.get(sessionId)?.session.close('interrupted')
    connection.sessions.delete(sessionId)
    if (!isAtWork) await deps.sessionServers.close(sessionId)
  }

  function withinBounds(work: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = deps.clock.setTimer(END_MS, resolve)
    const failed = (error: unknown): void =>
      log({ level: 'error', message: 'a connection did not end in order', error })
    void work.catch(failed).then(resolve)
    return promise.finally(() => timer.cancel())
  }

  const closed = run()
  return {
    closed,
    close(reason) {
      if (reason !== undefined) log({ level: 'info', message: 'a connection is closed', reason })
      stop.abort()
      return closed
    },
    hasOpenTurns: () => [...connection.sessions.values()].some(({ session }) => session.own.size > 0),
    sessions: () => [...connection.sessions.keys()],
    clientName: () => connection.clientName,
  }
}
