import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface FakeModelServer {
  readonly baseUrl: string
  readonly host: string
  /** Every request for an answer, as it came. */
  readonly asked: readonly { readonly authorization: string | undefined; readonly body: Record<string, unknown> }[]
  /** The answer goes on with its second word only after this. */
  goOn(): void
  /** From now on every request is refused like this. */
  refuse(status: number, body: object): void
  stop(): Promise<void>
}

/** As much of an OpenAI-compatible server as a newcomer's first questions need. It offers the model `tiny`. */
export async function startFakeModelServer(words: readonly string[]): Promise<FakeModelServer> {
  const asked: { authorization: string | undefined; body: Record<string, unknown> }[] = []
  const going = Promise.withResolvers<void>()
  let refusal: { readonly status: number; readonly body: object } | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/v1/models') return void response.end(JSON.stringify({ data: [{ id: 'tiny' }] }))
    let text = ''
    for await (const chunk of request) text += String(chunk)
    asked.push({ authorization: request.headers.authorization, body: JSON.parse(text) as Record<string, unknown> })
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(refusal.body))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (delta: object, finish_reason: string | null = null): void =>
      void response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
    for (const [index, content] of words.entries()) {
      if (index === 1) await going.promise
      send({ content })
    }
    send({}, 'stop')
    response.end('data: [DONE]\n\n')
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const host = `127.0.0.1:${address.port}`
  return {
    host,
    baseUrl: `http://${host}/v1`,
    asked,
    goOn: () => going.resolve(),
    refuse(status, body) {
      refusal = { status, body }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
