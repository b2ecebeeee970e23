import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { io } from 'socket.io-client'

type Value = Record<string, unknown>

/** Faults of the REST API, by the rule that each breaks. */
const REST_FAULTS: Readonly<Record<string, (path: string, answer: { status: number; json: Value }) => void>> = {
  '1': (path, { json }) => {
    if (path === '/api/version') delete json['min_sdk']
  },
  '2': (path, { json }) => {
    if (path === '/healthz') json['status'] = 'fine'
  },
  '12': (path, { json }) => {
    if (path === '/api/config/models') json['default'] = 'no-such-model'
  },
  '13': (_, { json }) => {
    if ('session_id' in json) json['id'] = json['session_id']
  },
  '15': (_, { json }) => {
    if ('session_setup' in json) delete json['session_setup']
  },
  '16': (path, { json }) => {
    if (path === '/api/sessions' && 'limit' in json) json['limit'] = 100
  },
  '17': (path, answer) => {
    if (path.endsWith('limit=0')) answer.status = 200
  },
  '22': (_, { json }) => {
    if (json['deleted'] === true) json['deleted'] = 'yes'
  },
}

/** Faults of the events, by the rule that each breaks. */
const EVENT_FAULTS: Readonly<Record<string, (event: string, payload: Value) => void>> = {
  '40': (event, payload) => {
    if (event === 'turn:start' && payload['role'] === 'assistant') payload['status'] = 'completed'
  },
  '42': (event, payload) => {
    const data = payload['data'] as Value | undefined
    if (event === 'turn:patch' && data && 'text_delta' in data) delete data['content']
  },
  '45': (event, payload) => {
    if (event === 'turn:patch') payload['sequence'] = Number(payload['sequence']) + 10
  },
  '52': (event, payload) => {
    if (event === 'chat:end' && payload['result'] === null) payload['finish_reason'] = 'done'
  },
}

export const BLADE_FAULTS = [...Object.keys(REST_FAULTS), ...Object.keys(EVENT_FAULTS)]

/** The server at `target`, with all twelve faults. */
export async function startFaultyBlade(target: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => void pass(target, incoming, outgoing))
  const sockets = new Server(server)
  sockets.use((socket, next) => {
    const upstream = io(target, { auth: socket.handshake.auth, forceNew: true, reconnection: false })
    upstream.once('connect_error', (error) => next(error))
    upstream.once('connect', () => next())
    upstream.onAny((event: string, payload: Value) => {
      for (const spoil of Object.values(EVENT_FAULTS)) spoil(event, payload)
      socket.emit(event, payload)
    })
    socket.onAny((event: string, payload: unknown, ack?: (answer: unknown) => void) => {
      void upstream.emitWithAck(event, payload).then((answer: unknown) => ack?.(answer))
    })
    socket.on('disconnect', () => upstream.disconnect())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => sockets.close(),
  }
}

async function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = incoming
  if (path.startsWith('/socket.io/')) return
  let body = ''
  for await (const chunk of incoming.setEncoding('utf8')) body += String(chunk)
  const response = await fetch(`${target}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
    ...(body !== '' && { body }),
  })
  const text = await response.text()
  const answer = { status: response.status, json: JSON.parse(text) as Value }
  if (!Array.isArray(answer.json)) for (const spoil of Object.values(REST_FAULTS)) spoil(path, answer)
  outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.json))
}
