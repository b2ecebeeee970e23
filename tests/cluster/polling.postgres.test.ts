import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectLive } from '../blade/live-client.ts'
import { createRestClient } from '../blade/rest-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession } from '../support/aap-session.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { poll, startPolledNodes, type PolledNodes } from './support/poll-through-nginx.ts'
import type { StartedNginx } from './support/start-nginx.ts'

let stage: PolledNodes
let a: ServerProcess
let b: ServerProcess
let nginx: StartedNginx

beforeAll(async () => {
  stage = await startPolledNodes()
  ;({ a, b, nginx } = stage)
}, 60_000)
afterAll(() => stage.remove())

describe('Socket.IO behind nginx, without stickiness', { timeout: 60_000 }, () => {
  it('cluster 59: polls, 500 messages, and every one arrives once', async () => {
    expect(await poll({ url: nginx.url, key: a.key }, 500)).toEqual([])
  })

  it('cluster 59: switches from polling to WebSocket, wherever the upgrade arrives', async () => {
    const transports = ['polling', 'websocket'] as const
    const clients = await Promise.all(
      Array.from({ length: 4 }, () => connectLive({ url: nginx.url, token: a.key, transports })),
    )
    const names = (): readonly string[] => clients.map(({ client }) => client.socket.io.engine.transport.name)
    await expect.poll(names, { timeout: 20_000 }).toEqual(['websocket', 'websocket', 'websocket', 'websocket'])
  })

  it('cluster 60: a client whose node is killed is told about its sessions by the other node', async () => {
    const id = await createRestClient({ url: nginx.url, key: a.key }).create({ solution_id: 'scripted' })
    const live = await connectLive({ url: nginx.url, token: a.key, resubscribes: false, transports: ['websocket'] })
    const { client, told } = live
    expect(await client.subscribe(id)).toMatchObject({ status: 'ok' })
    // The id of a connection begins with the node, and the node with its process.
    const [killed, left] = client.socket.io.engine.id.startsWith(`${a.pid}-`) ? [a, b] : [b, a]
    await killed.kill()
    if (client.socket.connected) await new Promise<void>((resolve) => client.socket.once('disconnect', () => resolve()))
    if (!client.socket.connected) await new Promise<void>((resolve) => client.socket.once('connect', () => resolve()))
    expect(client.socket.io.engine.id).toMatch(`${left.pid}-`)
    await attachSession(left.client(V3), id).turn('say still here')
    await live.until(() => told.some(({ event, payload }) => event === 'chat:end' && payload.session_id === id))
  })
})
