import type { RequestListener, Server } from 'node:http'
import type { AppsDeps } from './apps.ts'
import { createRefusalWords, refuseWithError, type RefusalWords } from './doors/find-door.ts'
import { createAnswerError } from './http/answer-error.ts'
import { createHttpServer, type RequestTimes } from './http/http-server.ts'
import { createOpenAnswers } from './http/open-answers.ts'
import { createRequestListener, type HttpApp, type RequestObserver } from './http/request-listener.ts'
import { listenOnTcp, type TcpListener } from './http/tcp-listener.ts'
import { listenForUpgrades } from './http/upgrade-listener.ts'
import type { Log } from './log/log.ts'
import { createRequestObserver } from './observe/request-observer.ts'
import { onFirstUse } from './on-first-use.ts'
import { listenOnOwnerSocket } from './owner/owner-socket.ts'
import { createPipeUpgrade } from './pipe/pipe-upgrade.ts'

/** The two ways in: TCP for callers with a key, the owner socket for whoever can read the data directory. */
export interface Listeners {
  /** The routes that are served over TCP, as `GET /aap/v3/meta`. */
  routes(): Promise<readonly string[]>
  /** Where the TCP listener is reached; `undefined` before it listens. */
  readonly url: string | undefined
  /** Returns the address. */
  listen(listen: { readonly host: string; readonly port: number }): Promise<string>
  listenForOwner(): Promise<void>
  /**
   * Cuts all connections over TCP, so that their clients try another node. A request without an answer gets 503 first. New
   * connections are accepted.
   */
  cutPublic(): void
  /** Accepts no more connections. Resolves when the last one has ended. */
  end(): Promise<void>
  /** Cuts the connections that are still open. */
  close(): Promise<void>
}

export interface ListenersDeps extends Omit<AppsDeps, 'answerError'> {
  readonly log: Log
  readonly dataDir: string
  /** Over TCP, only health and metrics are served. */
  readonly isHeadless: boolean
  readonly times: RequestTimes
}

export function createListeners(deps: ListenersDeps): Listeners {
  const { dataDir, times, parts, access, doors, phase, log } = deps
  const { policy, addressOf } = access
  const { metrics, tracing } = parts
  const observe = createRequestObserver({ log, metrics, addressOf, ...(tracing && { tracing }) })
  const ended = tracing === undefined ? observe : both(observe, tracing.requestEnded)
  const listenerOf = (...args: Parameters<typeof createRequestListener>): RequestListener => {
    const listener = createRequestListener(...args)
    return tracing?.follow(listener) ?? listener
  }
  const words = createRefusalWords(doors)
  const answerError = createAnswerError(log, words)
  const appsDeps = { ...deps, answerError }
  const isOpen = !deps.isHeadless

  const publicApp = onFirstUse(async () => {
    const { createHealthApp, createPublicApp } = await import('./apps.ts')
    return isOpen ? createPublicApp(appsDeps) : createHealthApp(appsDeps)
  })
  const ownerApp = onFirstUse(async () => (await import('./apps.ts')).createOwnerApp(appsDeps))
  const upgrades = isOpen ? doors.flatMap(({ upgrade }) => upgrade ?? []) : []
  const direct = isOpen ? doors.flatMap(({ direct }) => direct ?? []) : []
  const quick = doors.flatMap((door) => (door.quick === undefined ? [] : [door.quick]))
  const shared = { words, ended, phase, answerError }
  const open = createOpenAnswers()
  const openings = { ...shared, policy, direct, quick: isOpen ? quick : [], open }
  const tcpServer = createHttpServer(listenerOf(publicApp.make, openings), {
    upgradesTo: upgrades.map(({ protocol }) => protocol),
    times,
  })
  access.watchPublic(tcpServer)

  const everyone = { judge: () => ({ allowed: true }) as const }
  const pipes = doors.flatMap(({ name, pipe }) => (pipe === undefined ? [] : createPipeUpgrade(name, pipe)))
  const ownerServer = createHttpServer(listenerOf(ownerApp.make, { ...shared, policy: everyone, direct: [], quick }), {
    upgradesTo: pipes.map(({ protocol }) => protocol),
    times,
  })
  access.watchOwner(ownerServer)

  // The other end of a pipe is our own process, which expects `{ error }` from every door.
  const pipeWords: RefusalWords = (_path, refusal) => refuseWithError(refusal)
  const publicSockets = listenForUpgrades(tcpServer, upgrades, { policy, words, phase, ended, answerError })
  const upgraded = [
    publicSockets,
    listenForUpgrades(ownerServer, pipes, {
      policy: everyone,
      words: pipeWords,
      phase,
      ended,
      answerError: createAnswerError(log, pipeWords),
    }),
  ]

  let tcp: TcpListener | undefined
  let releaseSocket: (() => void) | undefined
  const end = async (): Promise<void> => {
    await Promise.all([tcp?.close(), closeServer(ownerServer)])
  }
  return {
    routes: async () => routesOf(await publicApp.make()),
    get url() {
      return tcp?.url
    },
    async listen(listen) {
      tcp = await listenOnTcp(tcpServer, listen)
      return tcp.url
    },
    async listenForOwner() {
      releaseSocket = await listenOnOwnerSocket(ownerServer, dataDir)
    },
    cutPublic() {
      open.end(answerError)
      tcpServer.closeIdleConnections()
      publicSockets.cut()
    },
    end,
    async close() {
      const ended = end()
      tcpServer.closeAllConnections()
      ownerServer.closeAllConnections()
      for (const sockets of upgraded) sockets.cut()
      await ended
      releaseSocket?.()
    },
  }
}

const both =
  (one: RequestObserver, other: RequestObserver): RequestObserver =>
  (...args) => {
    one(...args)
    other(...args)
  }

function routesOf({ routes }: HttpApp): readonly string[] {
  const answering = routes.filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
  return [...new Set(answering.map(({ method, path }) => `${method} ${path}`))]
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
