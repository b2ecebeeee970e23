import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Wire } from './wire.ts'

export interface FakeReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly chunks: readonly string[]
  /** How many chunks are sent before it ends; all if absent. */
  readonly after?: number
  /** `end` properly, `cut` the connection, or `hang`: send nothing more and wait for the client to leave. */
  readonly ending?: 'end' | 'cut' | 'hang'
}

export interface SeenRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export interface FakeProvider {
  readonly baseUrl: string
  readonly requests: readonly SeenRequest[]
  /** Why requests were refused that the real provider would have refused too. */
  readonly faults: readonly string[]
  /** Answers for the requests to come. */
  push(...replies: FakeReply[]): void
  /** Resolves when all that the next hanging reply has to send is sent. */
  hanging(): Promise<void>
  /** Resolves when the connection of the next hanging reply is closed. */
  left(): Promise<void>
  stop(): Promise<void>
}

/** A server that speaks one wire format, and refuses what the real one refuses. */
export async function startFakeProvider(wire: Wire): Promise<FakeProvider> {
  const replies: FakeReply[] = []
  const requests: SeenRequest[] = []
  const faults: string[] = []
  const hung = createSignals()
  const left = createSignals()

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new Promise<void>((resolve) => response.once('close', resolve))
    const body = await readBody(request)
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    const fault = wire.findFault(body)
    if (fault !== undefined) faults.push(fault)
    const reply = fault === undefined ? replies.shift() : wire.refuses(fault)
    if (reply === undefined) throw new Error('no reply was prepared')
    const { status = 200, headers = { 'content-type': 'text/event-stream' }, chunks, ending = 'end' } = reply
    response.writeHead(status, headers)
    response.flushHeaders()
    for (const chunk of chunks.slice(0, reply.after ?? chunks.length)) {
      // A write to a client that has left is never reported as done.
      await Promise.race([gone, new Promise<unknown>((resolve) => response.write(chunk, resolve))])
    }
    if (ending === 'end') response.end()
    if (ending === 'cut') response.socket?.destroy()
    if (ending === 'hang') {
      void gone.then(() => left.raise())
      hung.raise()
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}${wire.basePath}`,
    requests,
    faults,
    push: (...more) => void replies.push(...more),
    hanging: () => hung.next(),
    left: () => left.next(),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Events that are not lost when they come before anybody waits. */
function createSignals(): { raise(): void; next(): Promise<void> } {
  let raised = 0
  const waiting: (() => void)[] = []
  return {
    raise() {
      const resolve = waiting.shift()
      if (resolve) resolve()
      else raised++
    },
    next() {
      if (raised > 0) {
        raised--
        return Promise.resolve()
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? undefined : (JSON.parse(text) as unknown)
}
