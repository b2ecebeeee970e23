import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectLive } from '../blade/live-client.ts'
import { createRestClient } from '../blade/rest-client.ts'
import { eventually } from '../support/eventually.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { startCollector, type Collector } from './tracing/collector.ts'

let dir: TempDir
let collector: Collector
let server: ServerProcess
beforeAll(async () => {
  dir = await createTempDir()
  collector = await startCollector()
  await mkdir(workDir())
  const config = join(dir.path, 'config.json')
  await writeFile(config, JSON.stringify({ acp: { roots: { local: [workDir()] } } }))
  server = await startServerProcess({
    dataDir: join(dir.path, 'data'),
    startDir: dir.path,
    flags: ['--config', config],
    environment: {
      NODE_OPTIONS: `--import ${new URL('tracing/register.ts', import.meta.url).href}`,
      COLLECTOR_URL: collector.url,
    },
  })
})
afterAll(async () => {
  await server.stop()
  collector.close()
  await dir.remove()
})

const workDir = () => join(dir.path, 'work')
const find = (name: string) =>
  eventually(async () => collector.spans.find((span) => span.name === name), `the span ${name}`)

/** The turn that a message started, in whose trace the message is. */
async function expectTrace(name: string): Promise<void> {
  const message = await find(name)
  const turnId = message.attributes['polylogue.turn_id']
  const turn = await eventually(
    async () =>
      collector.spans.find((span) => span.name === 'polylogue.turn' && span.attributes['polylogue.turn_id'] === turnId),
    'the span of the turn',
  )
  expect(message.traceId).toBe(turn.traceId)
}

describe('cluster 65: a message over a connection', () => {
  it('has a span in the trace of the turn that it starts, over Socket.IO', async () => {
    const live = await connectLive({ url: server.url, token: server.key })
    const rest = createRestClient(server)
    const { body } = await rest.send<{ session_id: string }>('POST', '/sessions', { solution_id: 'scripted' })
    await live.client.subscribe(body.session_id)
    await live.client.send(body.session_id, 'say hello')
    await live.ends(1)
    await expectTrace('blade chat:send')
    expect((await find('blade session:subscribe')).attributes).not.toHaveProperty('polylogue.turn_id')
  })

  it('has a span in the trace of the turn that it starts, over ACP', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/acp?agent=scripted`, {
      headers: { authorization: `Bearer ${server.key}` },
    })
    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    const request = async (id: number, method: string, params: object): Promise<Record<string, unknown>> => {
      const answer = new Promise<Record<string, unknown>>((resolve) => {
        socket.on('message', (data) => {
          const frame = JSON.parse(String(data)) as Record<string, unknown>
          if (frame['id'] === id) resolve(frame)
        })
      })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return answer
    }
    await request(1, 'initialize', { protocolVersion: 1 })
    const { result } = await request(2, 'session/new', { cwd: workDir(), mcpServers: [] })
    const { sessionId } = result as { readonly sessionId: string }
    await request(3, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'say hello' }] })
    await expectTrace('acp session/prompt')
    expect(await request(4, 'session/prompt', { sessionId: 'unknown', prompt: [] })).toHaveProperty('error')
  })
})
