import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { V3 } from '../support/aap-dialect.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { createTempDir } from '../support/temp-dir.ts'

interface Asked {
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

/** As much of an OpenAI-compatible server as a first conversation needs. */
function createModelServer(asked: Asked[]): Server {
  return createServer((request, response) => {
    answer(request, response, asked).catch(() => response.destroy())
  })
}

async function answer(request: IncomingMessage, response: ServerResponse, asked: Asked[]): Promise<void> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  asked.push({ url: request.url, authorization: request.headers.authorization, body })
  if (request.url === '/v1/models') return void response.end(JSON.stringify({ data: [{ id: 'tiny' }] }))
  if (request.url === '/api/tags') return void response.end(JSON.stringify({ models: [{ name: 'tiny:1b' }] }))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (delta: object, finish_reason: string | null = null): void =>
    void response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
  send({ role: 'assistant', content: 'Hello ' })
  send({ content: 'from afar' })
  send({}, 'stop')
  response.end('data: [DONE]\n\n')
}

describe('a newcomer with a model server', () => {
  const asked: Asked[] = []
  let models: Server
  let host: string
  let dir: Awaited<ReturnType<typeof createTempDir>>
  let server: ServerProcess | undefined

  beforeEach(async () => {
    asked.length = 0
    models = createModelServer(asked)
    await new Promise<void>((resolve) => models.listen(0, '127.0.0.1', resolve))
    const address = models.address()
    host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    dir = await createTempDir()
  })

  afterEach(async () => {
    await server?.stop()
    server = undefined
    models.closeAllConnections()
    await new Promise((resolve) => models.close(resolve))
    await dir.remove()
  })

  async function ask(environment: Record<string, string>, agent: object): Promise<unknown> {
    server = await startServerProcess({
      dataDir: join(dir.path, '.polylogue'),
      startDir: dir.path,
      environment: { POLYLOGUE_MODEL: '', ...environment },
    })
    const client = server.client(V3)
    const { body: session } = await client.create({ agent })
    const messages = [{ role: 'user', content: 'hi' }]
    return (await client.turn(session?.sessionId ?? '', { messages })).body
  }

  const hello = {
    stopReason: 'end_turn',
    messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hello from afar' }] }],
  }

  it('talks to it after setting OPENAI_BASE_URL', async () => {
    expect(await ask({ OPENAI_BASE_URL: `http://${host}/v1` }, { name: 'assistant' })).toMatchObject(hello)
    expect(asked.map(({ url }) => url)).toEqual(['/v1/models', '/v1/chat/completions'])
    expect(JSON.parse(asked[1]?.body ?? '')).toMatchObject({ model: 'tiny' })
  })

  it('talks to Ollama without setting anything but where it is', async () => {
    expect(await ask({ OLLAMA_HOST: host }, { name: 'assistant' })).toMatchObject(hello)
    expect(asked.map(({ url }) => url)).toEqual(['/api/tags', '/v1/chat/completions'])
  })

  it('gives an agent in Markdown a model of a configured provider, and a session its own key', async () => {
    const config = { providers: { lab: { baseUrl: `http://${host}/v1`, apiKeyEnv: 'LAB_KEY' } }, agents: [] }
    await writeFile(join(dir.path, 'polylogue.config.json'), JSON.stringify(config))
    await mkdir(join(dir.path, 'agents'))
    const front = '---\nmodel: lab/tiny\noptions:\n  - { type: secret, name: apiKey }\n---\nBe kind.\n'
    await writeFile(join(dir.path, 'agents', 'helper.md'), front)
    const agent = { name: 'helper', options: { apiKey: 'key-of-the-session' } }
    expect(await ask({ LAB_KEY: 'key-of-the-server' }, agent)).toMatchObject(hello)
    expect(asked).toMatchObject([{ url: '/v1/chat/completions', authorization: 'Bearer key-of-the-session' }])
    expect(server?.output).not.toContain('key-of-the-session')
  })
})
