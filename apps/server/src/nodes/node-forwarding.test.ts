import { once } from 'node:events'
import { createServer, request, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFakeClock } from '@polylogue/testkit'
import type { KnownNode } from '@polylogue/engine'
import { afterEach, expect, it } from 'vitest'
import { createNodeForwarding } from './node-forwarding.ts'

const servers: Server[] = []
afterEach(() => servers.splice(0).forEach((server) => server.close()))

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

async function ask(port: number, path: string): Promise<string> {
  const [answer] = await once(request({ port, path, agent: false }).end(), 'response')
  let text = ''
  for await (const piece of answer) text += String(piece)
  return text
}

it('asks the other node for exactly the path that came', async () => {
  const other = await listen((incoming, outgoing) => outgoing.end(incoming.url))
  const list = async (): Promise<readonly KnownNode[]> => [
    {
      ...{
        nodeId: 'other',
        role: 'all',
        version: '1',
        machine: 'm',
        pid: 1,
        level: 1,
        url: `http://127.0.0.1:${other}`,
      },
      ...{ startedAt: 0, leaseUntil: 1, isAlive: true, sessions: 0 },
    },
  ]
  const self = { nodeId: 'self', role: 'all', version: '1', machine: 'm', pid: 2, level: 1 } as const
  const forwarding = createNodeForwarding({ self, nodes: { list }, clock: createFakeClock() })
  const port = await listen((incoming, outgoing) => void forwarding.request('other', incoming, outgoing))
  for (const path of [
    '/socket.io/?sid=other.x',
    '/socket.io/../metrics?sid=other.x',
    '/socket.io/%2e%2e/metrics',
    '//evil/x',
  ])
    expect(await ask(port, path)).toBe(path)
})
