// A server of AAP written from the published schema alone: it sends no ids, knows no idempotency keys, and cannot resume. It
// stands for servers of others, such as those of the official SDK, and shares no code with Polylogue.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ECHO, pendingCalls, runTurn, type Conversation, type Message } from './documented-agent.ts'

export const DOCUMENTED_KEY = 'documented-key'

interface Session extends Conversation {
  readonly id: string
  readonly agent: { readonly name: string; readonly tools?: Conversation['enabled'] }
  readonly tools?: unknown
  isBusy: boolean
}

interface Asked {
  readonly agent?: { readonly name?: unknown; readonly tools?: Conversation['enabled'] }
  readonly messages?: readonly Message[]
  readonly tools?: unknown
  readonly stream?: string
}

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface DocumentedServer {
  readonly url: string
  /** Ends the next stream after so many events, without a `turn_stop`. */
  cutNextAfter(events: number): void
  stop(): Promise<void>
}

export async function startDocumentedServer(version: 1 | 3): Promise<DocumentedServer> {
  const sessions = new Map<string, Session>()
  let cutAfter = Infinity
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy()
      const status = error instanceof Refused ? error.status : 500
      send(response, status, { error: error instanceof Error ? error.message : 'failed' })
    })
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server')
    if (request.headers.authorization !== `Bearer ${DOCUMENTED_KEY}`) throw new Refused(401, 'Unauthorized')
    const [, group, id, part] = pathname.split('/')
    const one = version === 3 ? 'sessions' : 'session'
    if (pathname === '/meta') return send(response, 200, metaOf(version))
    if (pathname === '/sessions' && method === 'GET') return send(response, 200, list(searchParams.get('after')))
    if (version === 3 && pathname === '/sessions' && method === 'POST') {
      return send(response, 201, { sessionId: create(await readBody(request)).id })
    }
    if (version === 1 && pathname === '/session' && method === 'PUT') return begin(await readBody(request), response)
    if (group !== one || id === undefined) throw new Refused(404, 'Not found')
    if (version === 3 && part === 'history') {
      const type = searchParams.get('type')
      if (type !== 'full' && type !== 'compacted') throw new Refused(400, 'type must be full or compacted')
      return send(response, 200, { history: { [type]: find(id).history } })
    }
    if (method === 'POST' && part === (version === 3 ? 'turns' : undefined)) {
      const session = find(id)
      return turn(session, await readBody(request), response)
    }
    if (part !== undefined) throw new Refused(404, 'Not found')
    const session = find(id)
    if (method === 'DELETE') {
      sessions.delete(id)
      return send(response, 204)
    }
    const type = searchParams.get('history')
    send(response, 200, {
      ...infoOf(session),
      ...(version === 1 && { history: type === null ? { full: session.history } : { [type]: session.history } }),
    })
  }

  const find = (id: string): Session => {
    const session = sessions.get(id)
    if (session === undefined) throw new Refused(404, 'No such session')
    return session
  }

  function list(after: string | null): object {
    if (after !== null && !sessions.has(after)) throw new Refused(400, 'after is not a cursor')
    const all = [...sessions.values()].toReversed()
    return { sessions: version === 3 ? all.map(infoOf) : all.map(({ id }) => id) }
  }

  function create({ agent, messages = [], tools }: Asked): Session {
    if (typeof agent?.name !== 'string') throw new Refused(400, 'agent.name is missing')
    if (agent.name !== 'documented') throw new Refused(400, 'there is no such agent')
    if (messages.some(({ role }) => role === 'tool_permission')) throw new Refused(400, 'messages hold a permission')
    const session = {
      id: randomUUID(),
      agent: { ...agent, name: agent.name },
      ...(tools !== undefined && { tools }),
      enabled: agent.tools ?? [],
      history: [...messages],
      isBusy: false,
    }
    sessions.set(session.id, session)
    return session
  }

  async function begin(body: Asked, response: ServerResponse): Promise<void> {
    const { messages = [] } = body
    if (messages.at(-1)?.role !== 'user') throw new Refused(400, 'the last message must be of the user')
    const session = create({ ...body, messages: messages.slice(0, -1) })
    await turn(session, { stream: body.stream ?? 'none', messages: messages.slice(-1), isFirst: true }, response)
  }

  async function turn(session: Session, body: Asked & { isFirst?: boolean }, response: ServerResponse): Promise<void> {
    const { messages = [], stream = 'none', isFirst = false } = body
    checkTurn(session, body)
    if (session.isBusy) throw new Refused(409, 'a turn is running')
    session.isBusy = true
    try {
      if (stream === 'none') {
        const spoken = await runTurn(session, messages, () => {})
        return send(response, isFirst ? 201 : 200, { ...(isFirst && { sessionId: session.id }), ...spoken })
      }
      await streamTurn(session, { messages, isFirst, isDelta: stream === 'delta' }, response)
    } finally {
      session.isBusy = false
    }
  }

  async function streamTurn(
    session: Session,
    { messages, isFirst, isDelta }: { messages: readonly Message[]; isFirst: boolean; isDelta: boolean },
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(isFirst ? 201 : 200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    let left = cutAfter
    cutAfter = Infinity
    const write = (event: Readonly<Record<string, unknown>>): void => {
      left -= 1
      if (left >= 0) response.write(`event: ${String(event['event'])}\ndata: ${JSON.stringify(event)}\n\n`)
    }
    if (isFirst) write({ event: 'session_start', sessionId: session.id })
    write({ event: 'turn_start' })
    const emit = isDelta ? write : joinDeltas(write)
    const { stopReason } = await runTurn(session, messages, emit)
    emit({ event: 'turn_stop', stopReason })
    response.end()
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutNextAfter: (events) => void (cutAfter = events),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function checkTurn(session: Session, { messages = [], stream = 'none', agent }: Asked): void {
  if (agent?.name !== undefined) throw new Refused(400, 'the name of the agent cannot change')
  if (!['none', 'delta', 'message'].includes(stream)) throw new Refused(400, 'stream is none, delta or message')
  const isOneMessage = messages.length === 1 && messages[0]?.role === 'user'
  const areAnswers = messages.length > 0 && messages.every(({ role }) => role === 'tool' || role === 'tool_permission')
  if (!isOneMessage && !areAnswers) throw new Refused(400, 'messages must be one user message, or answers')
  const pending = pendingCalls(session)
  const isUnknown = ({ toolCallId }: Message): boolean => toolCallId !== undefined && !pending.includes(toolCallId)
  if (messages.some(isUnknown)) throw new Refused(400, 'there is no such call')
}

const infoOf = ({ id, agent, tools }: Session): object => ({
  sessionId: id,
  agent,
  ...(tools !== undefined && { tools }),
})

function metaOf(version: 1 | 3): object {
  const { schema, ...echo } = ECHO
  const tool = version === 3 ? { ...echo, parameters: schema } : { ...echo, inputSchema: schema }
  const capabilities = {
    history: { full: {}, compacted: {} },
    stream: { delta: {}, message: {}, none: {} },
    application: { tools: {} },
  }
  return { version, agents: [{ name: 'documented', version: '1.0.0', tools: [tool], capabilities }] }
}

/** Message mode: deltas of one kind become one event. */
function joinDeltas(write: (event: Readonly<Record<string, unknown>>) => void) {
  let [kind, text] = ['', '']
  return (event: Readonly<Record<string, unknown>>): void => {
    const next = String(event['event']).replace('_delta', '')
    const isDelta = next === 'text' || next === 'thinking'
    if (text !== '' && next !== kind) {
      write({ event: kind, [kind]: text })
      text = ''
    }
    kind = next
    if (isDelta) text += String(event['delta'])
    else write(event)
  }
}

async function readBody(request: IncomingMessage): Promise<Asked> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  try {
    return JSON.parse(text) as Asked
  } catch {
    throw new Refused(400, 'the body is not JSON')
  }
}

function send(response: ServerResponse, status: number, body?: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
}
