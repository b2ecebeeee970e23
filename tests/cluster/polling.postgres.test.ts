import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectLive } from '../blade/live-client.ts'
import { createRestClient } from '../blade/rest-client.ts'
import { V3 } from '../support/aap-dialect.ts'
import { attachSession } from '../support/aap-session.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { createTestDatabase } from '../support/test-database.ts'
import type { ServerDatabase } from '../support/test-server.ts'
import { prepareNodes, type Nodes } from './support/nodes.ts'
import { findFreePort, startNginx, type StartedNginx } from './support/start-nginx.ts'

let database: ServerDatabase
let nodes: Nodes
let a: ServerProcess
let b: ServerProcess
let nginx: StartedNginx

async function startNode(name: string): Promise<ServerProcess> {
  const port = String(await findFreePort())
  return nodes.start(name, { flags: ['--port', port, '--node-url', `http://127.0.0.1:${port}`] })
}

beforeAll(async () => {
  database = await createTestDatabase()
  nodes = await prepareNodes(database.url)
  a = await startNode('a')
  b = await startNode('b')
  nginx = await startNginx(nodes.folder, [a.url, b.url])
}, 60_000)
afterAll(async () => {
  await nginx.stop()
  await nodes.remove()
  await database.drop()
})

describe('Socket.IO behind nginx, without stickiness', { timeout: 60_000 }, () => {
  it('cluster 59: polls, 500 messages, and every one arrives once', async () => {
    const id = await createRestClient({ url: nginx.url, key: a.key }).create({ solution_id: 'scripted' })
    const live = await connectLive({ url: nginx.url, token: a.key, transports: ['polling'] })
    expect(await live.client.subscribe(id)).toMatchObject({ status: 'ok' })
    for (let round = 0; round < 10; round++) {
      const acks = await Promise.all(Array.from({ length: 50 }, () => live.client.subscribe(id)))
      expect(acks.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 'ok'))
    }
    for (let round = 1; round <= 3; round++) {
      await live.client.send(id, `say answer ${round}`)
      await live.ends(round)
    }
    const texts = JSON.stringify(live.client.state(id).turns)
    for (let round = 1; round <= 3; round++) expect(texts).toContain(`answer ${round}`)
    expect(live.told.filter(({ event }) => event === 'chat:end')).toHaveLength(3)
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
