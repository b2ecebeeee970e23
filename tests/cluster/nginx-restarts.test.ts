import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { createTempDir } from '../support/temp-dir.ts'
import { findFreePort, startNginx } from './support/start-nginx.ts'

const servers: Server[] = []
afterEach(() => Promise.all(servers.splice(0).map(stop)))

async function start(port: number): Promise<Server> {
  const server = createServer((request, response) => void request.resume().on('end', () => response.end('here')))
  servers.push(server)
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return server
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

it('the proxy answers while nodes are restarted one right after the other', async () => {
  const ports = [await findFreePort(), await findFreePort()] as const
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const nodes = [await start(ports[0]), await start(ports[1])]
  const folder = await createTempDir()
  const nginx = await startNginx(folder.path, urls)
  const post = async (): Promise<number> => (await fetch(nginx.url, { method: 'POST', body: '{}' })).status
  try {
    for (const [index, node] of nodes.entries()) {
      await stop(node)
      expect([await post(), await post(), await post()]).toEqual([200, 200, 200])
      await start(ports[index] ?? 0)
    }
    expect([await post(), await post(), await post()]).toEqual([200, 200, 200])
  } finally {
    await nginx.stop()
    await folder.remove()
  }
})
