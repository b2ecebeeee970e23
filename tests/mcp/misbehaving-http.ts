// An MCP server over HTTP that fails in the way it is told, when the tool `echo` is called or its list is read.
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

export type HttpFault =
  | 'well'
  | 'stream'
  | 'error-status'
  | 'hang'
  | 'cut'
  | 'ends-early'
  | 'huge'
  | 'huge-event'
  | 'many-keys'
  | 'many-keys-event'
  | 'deep'
  | 'event-flood'
  | 'forgets'
  | 'redirect'
  | 'redirect-to-file'
  | 'sign-in'
  | 'page'
  | 'compressed'
  | 'long-header'
  | 'carriage-returns'
  | 'empty-lines'
  | 'only-returns'
  | 'many-tools'
  | 'large-schema'
  | 'hidden-schema'
  | 'large-description'

export interface MisbehavingHttp {
  readonly url: string
  /** The value of the header `x-key` in each request. */
  readonly keys: readonly (string | undefined)[]
  /** How many sessions were begun. */
  sessions(): number
  /** Those that were ended, by their ids. */
  readonly ended: readonly string[]
  fault: HttpFault
  close(): Promise<void>
}

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly msg?: string } }
}

const MANY_KEYS = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1]))
const EVENT_STREAM = { 'content-type': 'text/event-stream' }
const echo = { name: 'echo', inputSchema: { type: 'object' } }
const LARGE = 4 * 1024 * 1024
const LISTS: { readonly [fault in HttpFault]?: readonly object[] } = {
  'many-tools': Array.from({ length: 100_000 }, (_, index) => ({ ...echo, name: `t${index}` })),
  'large-schema': [{ ...echo, inputSchema: { ...echo.inputSchema, description: 'x'.repeat(5 * LARGE) } }],
  'hidden-schema': [{ ...echo, inputSchema: { ...echo.inputSchema, description: '\u200b'.repeat(LARGE) } }],
  'large-description': [{ ...echo, description: '\u200b'.repeat(LARGE) }],
}

export async function startMisbehavingHttp(elsewhere = 'http://127.0.0.1:1/'): Promise<MisbehavingHttp> {
  const keys: (string | undefined)[] = []
  const ended: string[] = []
  let sessions = 0
  const server = createServer((request, response) => void respond(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('it has no address')

  const self: MisbehavingHttp = {
    url: `http://127.0.0.1:${address.port}/mcp`,
    keys,
    sessions: () => sessions,
    ended,
    fault: 'well',
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return self

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'x-key': key } = request.headers
    keys.push(typeof key === 'string' ? key : undefined)
    if (request.method === 'DELETE') ended.push(String(request.headers['mcp-session-id']))
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const message = JSON.parse(body) as Message
    if (message.id === undefined) return void response.writeHead(202).end()
    const answer = (result: object): string => JSON.stringify({ jsonrpc: '2.0', id: message.id, result })
    const tell = (result: object, headers: Record<string, string> = {}): void =>
      void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(answer(result))
    if (message.method === 'initialize') {
      sessions += 1
      const { protocolVersion } = message.params ?? {}
      const serverInfo = { name: 'http', version: '1' }
      return tell(
        { protocolVersion, capabilities: { tools: {} }, serverInfo },
        { 'mcp-session-id': `session-${sessions}` },
      )
    }
    if (message.method === 'tools/list') return tell({ tools: LISTS[self.fault] ?? [echo] })
    if (message.method !== 'tools/call') return tell({})
    const result = { content: [{ type: 'text', text: message.params?.arguments?.msg ?? '' }] }
    switch (self.fault) {
      case 'well':
        return tell(result)
      case 'stream':
        return void response.writeHead(200, EVENT_STREAM).end(`: hello\n\nevent: message\ndata: ${answer(result)}\n\n`)
      case 'error-status':
        return void response.writeHead(500).end('out of order')
      case 'hang':
        return
      case 'cut':
        response.writeHead(200, EVENT_STREAM).write(': hello\n\n')
        return void setImmediate(() => response.destroy())
      case 'ends-early':
        return void response.writeHead(200, EVENT_STREAM).end(': hello\n\n')
      case 'huge':
        return tell({ ...result, more: 'x'.repeat(17 * 1024 * 1024) })
      case 'huge-event':
        return void response.writeHead(200, EVENT_STREAM).write(`data: ${'x'.repeat(17 * 1024 * 1024)}`)
      case 'many-keys':
        return tell({ ...result, structuredContent: MANY_KEYS })
      case 'many-keys-event':
        return void response
          .writeHead(200, EVENT_STREAM)
          .end(`: "\n\ndata: ${answer({ ...result, structuredContent: MANY_KEYS })}\n\n`)
      case 'deep':
        response.writeHead(200, { 'content-type': 'application/json' })
        return void response.end(
          `{"jsonrpc":"2.0","id":${message.id},"result":{"content":[],"structuredContent":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}}`,
        )
      case 'event-flood': {
        response.writeHead(200, EVENT_STREAM)
        const event = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } })}\n\n`
        return writeForever(response, event.repeat(100))
      }
      case 'forgets':
        self.fault = 'well'
        return void response.writeHead(404).end()
      case 'redirect':
        return void response.writeHead(307, { location: elsewhere }).end()
      case 'redirect-to-file':
        return void response.writeHead(307, { location: 'file:///etc/passwd' }).end()
      case 'sign-in': {
        const place = `Bearer error="insufficient_scope", resource_metadata="${elsewhere}"`
        return void response.writeHead(401, { 'www-authenticate': place }).end()
      }
      case 'compressed':
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        return void response.end(gzipSync(Buffer.alloc(40 * 1024 * 1024, ' ')))
      case 'long-header':
        response.setHeader('x-long', 'x'.repeat(LARGE))
        return tell(result)
      case 'carriage-returns':
      case 'empty-lines':
        response.writeHead(200, EVENT_STREAM)
        return writeForever(response, Buffer.alloc(65_536, self.fault === 'empty-lines' ? '\n' : '\r'))
      case 'only-returns':
        return void response.writeHead(200, EVENT_STREAM).end(`: hello\r\revent: message\rdata: ${answer(result)}\r\r`)
      case 'many-tools':
      case 'large-schema':
      case 'hidden-schema':
      case 'large-description':
        return tell(result)
      case 'page':
        return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')
    }
  }
}

function writeForever(response: ServerResponse, piece: string | Uint8Array): void {
  if (response.destroyed) return
  const more = (): void => writeForever(response, piece)
  if (response.write(piece)) setImmediate(more)
  else response.once('drain', more)
}
