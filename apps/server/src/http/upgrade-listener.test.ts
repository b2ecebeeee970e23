import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { StorageFault } from '@polylogue/engine'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog, type Log } from '../log/log.ts'
import type { Phase } from '../phase.ts'
import { createAnswerError } from './answer-error.ts'
import type { RequestObserver } from './request-listener.ts'
import { listenForUpgrades, type UpgradeRoute, type UpgradedSockets } from './upgrade-listener.ts'

const echo: UpgradeRoute = {
  path: '/echo',
  protocol: 'echo',
  async upgrade({ socket, head }) {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    socket.write(head)
    socket.pipe(socket)
  },
}

interface Setup {
  readonly routes?: readonly UpgradeRoute[]
  readonly phase?: Phase
  readonly isAllowed?: boolean
  readonly log?: Log
  readonly ended?: RequestObserver
}

async function listen(setup: Setup = {}) {
  const { routes = [echo], phase = 'ready', isAllowed = true, log = silentLog, ended = () => undefined } = setup
  const server = createServer()
  const verdict = isAllowed ? ({ allowed: true } as const) : ({ allowed: false, status: 403, error: 'no' } as const)
  const sockets: UpgradedSockets = listenForUpgrades(server, routes, {
    policy: { judge: () => verdict },
    words: (_path, { message }) => ({ said: message }),
    phase: () => phase,
    ended,
    answerError: createAnswerError(log, (_path, { message }) => ({ said: message })),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    sockets.cut()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const ask = (path: string) => {
    const outgoing = request({ port, path, headers: { connection: 'Upgrade', upgrade: 'echo' }, agent: false })
    outgoing.end()
    return outgoing
  }
  return { ask, sockets }
}

const refusal = async (setup: Setup, path = '/echo') => {
  const { ask } = await listen(setup)
  const [response] = (await once(ask(path), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

describe('an upgrade', () => {
  it('is taken by the route of its path, whatever its query', async () => {
    const { ask } = await listen()
    const [, socket] = (await once(ask('/echo?a=/other'), 'upgrade')) as [unknown, Socket]
    socket.write('hello')
    expect(String((await once(socket, 'data'))[0])).toBe('hello')
    socket.destroy()
  })

  it('is refused before any route sees it: by the policy, in other phases, and where there is none', async () => {
    const never: UpgradeRoute = { ...echo, upgrade: () => Promise.reject(new Error('it was asked')) }
    expect(await refusal({ isAllowed: false, routes: [never] })).toBe(403)
    expect(await refusal({ phase: 'starting', routes: [never] })).toBe(503)
    expect(await refusal({ phase: 'draining', routes: [never] })).toBe(503)
    expect(await refusal({}, '/other')).toBe(404)
    expect(await refusal({}, '/echo/more')).toBe(404)
  })

  it('that is refused is logged like every other request, by its route and never by its path', async () => {
    const told: unknown[] = []
    const ended: RequestObserver = ({ route }, { method }, { statusCode, headersSent }) =>
      void told.push([method, route, statusCode, headersSent])
    const closed: UpgradeRoute = { ...echo, upgrade: async ({ refuse }) => refuse(401, 'Unauthorized') }
    await refusal({ ended, routes: [closed] }, '/echo?key=secret')
    await refusal({ ended, isAllowed: false })
    await refusal({ ended, phase: 'draining' })
    await refusal({ ended }, '/secret')
    expect(told).toEqual([
      ['GET', '/echo', 401, true],
      ['GET', 'refused', 403, true],
      ['GET', '/echo', 503, true],
      ['GET', undefined, 404, true],
    ])
  })

  it('that a route fails at is logged, and refused if nothing was sent yet', async () => {
    const logged: string[] = []
    const log: Log = { ...silentLog, error: (_fields, message) => void logged.push(message) }
    const broken: UpgradeRoute = { ...echo, upgrade: () => Promise.reject(new Error('broken')) }
    expect(await refusal({ routes: [broken], log })).toBe(500)
    const late: UpgradeRoute = {
      ...echo,
      async upgrade({ socket }) {
        socket.write('HTTP/1.1 101 ')
        throw new Error('broken')
      },
    }
    const { ask } = await listen({ routes: [late], log })
    await expect(once(ask('/echo'), 'response')).rejects.toThrow(/hang up|Parse Error|aborted|ECONNRESET/)
    expect(logged).toEqual(['a request failed', 'a request failed'])
  })

  it('is refused with 503 and a time to come back while the storage does not answer', async () => {
    const silent = new StorageFault('busy', 'The database does not answer at the moment.')
    const { ask } = await listen({ routes: [{ ...echo, upgrade: () => Promise.reject(silent) }] })
    const [response] = (await once(ask('/echo'), 'response')) as [IncomingMessage]
    response.resume()
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } })
  })

  it('leaves a connection that ends when all are cut', async () => {
    const { ask, sockets } = await listen()
    const [, socket] = (await once(ask('/echo'), 'upgrade')) as [unknown, Socket]
    socket.on('error', () => undefined)
    const closed = once(socket, 'close')
    socket.resume()
    sockets.cut()
    await closed
  })
})
