// Servers that take exactly what one provider takes: host, path, query, credentials and body. Anything else is refused
// with the status that the provider uses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ModelDeps } from '../resolve-model.ts'

export interface StrictProvider {
  /** The whole address of a request for an answer. */
  readonly url: string
  /** Headers with these values; `undefined` forbids one. */
  readonly headers: { readonly [name: string]: string | undefined }
  /** What the provider would refuse in the headers beyond that, such as a wrong signature. */
  readonly findHeaderFault?: (request: SentRequest) => string | undefined
  readonly findFault: (body: unknown) => string | undefined
  /** A path that may be read, for facts about the server. */
  readonly readable?: string
  readonly contentType: string
  readonly chunks: readonly (string | Uint8Array)[]
}

export interface SentRequest {
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export interface StrictServer extends AsyncDisposable {
  /** Sends requests for the provider's host to the server, as DNS would. Requests for other hosts fail. */
  readonly fetch: NonNullable<ModelDeps['fetch']>
  readonly refusals: readonly string[]
  readonly answered: number
}

export async function startStrictServer(provider: StrictProvider): Promise<StrictServer> {
  const wanted = new URL(provider.url)
  const refusals: string[] = []
  let answered = 0

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readText(request)
    if (request.method === 'GET' && request.url === provider.readable) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      return
    }
    const sent: SentRequest = { url: new URL(request.url ?? '', wanted), headers: request.headers, text }
    const refusal = findRefusal(request.method, sent, provider)
    if (refusal !== undefined) {
      refusals.push(refusal.reason)
      response.writeHead(refusal.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: refusal.reason }, message: refusal.reason }))
      return
    }
    answered++
    response.writeHead(200, { 'content-type': provider.contentType })
    for (const chunk of provider.chunks) response.write(chunk)
    response.end()
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    refusals,
    get answered() {
      return answered
    },
    fetch: (input, init) => {
      const url = new URL(input instanceof Request ? input.url : String(input))
      if (url.origin !== wanted.origin) {
        refusals.push(`a request for ${url.origin}`)
        return Promise.reject(new TypeError('fetch failed'))
      }
      return globalThis.fetch(`http://127.0.0.1:${address.port}${url.pathname}${url.search}`, init)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function findRefusal(
  method: string | undefined,
  sent: SentRequest,
  { url, headers, findHeaderFault, findFault }: StrictProvider,
): { readonly status: number; readonly reason: string } | undefined {
  const wanted = new URL(url)
  const { pathname, search } = sent.url
  if (method !== 'POST') return { status: 405, reason: `${method} is not allowed` }
  if (pathname !== wanted.pathname || search !== wanted.search) {
    return { status: 404, reason: `no such path: ${pathname}${search}` }
  }
  for (const [name, value] of Object.entries(headers)) {
    if (sent.headers[name] !== value) return { status: 401, reason: `the header ${name} is wrong` }
  }
  const headerFault = findHeaderFault?.(sent)
  if (headerFault !== undefined) return { status: 403, reason: headerFault }
  if (!/^application\/json\b/.test(sent.headers['content-type'] ?? '')) return { status: 415, reason: 'no JSON' }
  const fault = findFault(JSON.parse(sent.text))
  return fault === undefined ? undefined : { status: 400, reason: fault }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
