// A server that answers the probe as ours does and has one fault, named on its command line. It shows its fault only to
// a body that says "fault", so that whoever watches it has to find it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Fault } from './fault.ts'

const fault = process.argv[2] as Fault
const sessions = new Map<string, { readonly said: string[]; isPoisoned: boolean }>()
const kept: Buffer[] = []

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, key: 'key', pid: process.pid })}\n`)
})
process.on('SIGTERM', () => process.exit(0))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const [path = '', id = '', rest = ''] =
    /^\/(?:aap\/v3\/sessions|aap\/v1\/session|api\/polylogue\/sessions)(?:\/([^/?]+))?(\/\w+)?/.exec(
      request.url ?? '',
    ) ?? []
  const send = (status: number, value: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? '' : JSON.stringify(value))
  }
  const session = sessions.get(id)
  if (path === '') return send(404, { error: 'Not found' })
  if (request.method === 'POST' && id === '') {
    if (body.includes('"fault"') && misbehave(response, body) === 'answered') return
    return create(body, send)
  }
  if (id === '') return send(200, { sessions: [...sessions.keys()].map((sessionId) => ({ sessionId })) })
  if (session === undefined) return send(404, { error: 'there is no such session' })
  if (request.method === 'DELETE') return sessions.delete(id) ? send(204, '') : undefined
  if (rest === '/turns') {
    session.said.push(body)
    const stopReason = body.includes('call ') ? 'tool_use' : 'end_turn'
    return send(200, { stopReason, messages: [{ role: 'assistant', content: body }] })
  }
  if (session.isPoisoned) return send(503, { error: 'The storage is not available' })
  send(200, { sessionId: id, history: { full: session.said } })
}

function create(body: string, send: (status: number, value: unknown) => void): void {
  const { agent, tools = [] } = JSON.parse(body) as { agent: { name?: string }; tools?: { description?: string }[] }
  if (agent.name === undefined || tools.some(({ description }) => description === undefined)) {
    return send(400, { error: 'agent.name: expected string' })
  }
  const sessionId = crypto.randomUUID()
  sessions.set(sessionId, { said: [], isPoisoned: body.includes('"fault"') && fault === 'keeps what it cannot read' })
  send(201, { sessionId })
}

function misbehave(response: ServerResponse, body: string): 'answered' | 'not yet' {
  switch (fault) {
    case 'exits':
      return process.exit(1)
    case 'throws':
      setImmediate(() => {
        throw new Error('nobody catches this')
      })
      return 'not yet'
    case 'rejects':
      void Promise.reject(new Error('nobody handles this'))
      return 'not yet'
    case 'answers 500':
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"oops"}')
      return 'answered'
    case 'cannot now':
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '2' }).end('{"error":"later"}')
      return 'answered'
    case 'never answers':
      return 'answered'
    case 'answers twice':
      response.socket?.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      return 'not yet'
    case 'is held up':
      // Of its own time: what other programs take of it is not its fault, and the probe does not count it.
      for (const from = spentMs(); spentMs() < from + 1500;);
      return 'not yet'
    case 'pollutes':
      Object.defineProperty(Object.prototype, 'polluted', { value: 'yes', configurable: true })
      return 'not yet'
    case 'forges an event':
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end('event: forged\ndata: {"event":"forged"}\n\n')
      return 'answered'
    case 'forges a header':
      response.setHeader('x-forged', 'yes')
      return 'not yet'
    case 'tells its stack':
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: new Error('bad').stack }))
      return 'answered'
    case 'quotes everything':
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: body.repeat(1000) }))
      return 'answered'
    case 'warns':
      process.emitWarning('a leak, perhaps', 'MaxListenersExceededWarning')
      return 'not yet'
    case 'grumbles':
      process.stderr.write('something is wrong\n')
      return 'not yet'
    case 'grows':
      kept.push(Buffer.alloc(64 * 1024 * 1024, 1))
      return 'not yet'
    case 'keeps what it cannot read':
    case 'none':
      return 'not yet'
  }
}

function spentMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
