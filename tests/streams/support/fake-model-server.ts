// An OpenAI-compatible provider that misbehaves as the newest user message asks: `fault <kind> <number> <tag>`. Anything
// else, and every request that carries results, it answers properly.
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type ChatMessage, findChatFault, parseChatRequest } from './chat-history.ts'

export const FAULT_KINDS = [
  'silence',
  'cut',
  'unfinished',
  'empty',
  'garbage',
  'too-many',
  'overloaded',
  'same-ids',
  'bad-json',
  'interleaved',
  'huge',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

export interface FakeModelServer {
  readonly baseUrl: string
  readonly openSockets: number
  /** Why requests had to be refused: each is a defect of whoever sent them. */
  readonly refused: readonly string[]
  /** Resolves when a request with this tag has been answered as far as it will be. */
  hung(tag: string): Promise<void>
  /** Resolves when the connection of that request is closed. */
  left(tag: string): Promise<void>
  stop(): Promise<void>
}

const ORDER = /^fault ([a-z-]+) (\d+) (\S+)$/
export const HUGE_BYTES = 10 * 1024 * 1024

export async function startFakeModelServer(): Promise<FakeModelServer> {
  const sockets = new Set<Socket>()
  const refused: string[] = []
  const attempts = new Map<string, number>()
  const hung = createSignals()
  const left = createSignals()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const messages = parseChatRequest(await json(request))
    const fault = findChatFault(messages)
    if (fault !== undefined) {
      refused.push(fault)
      return void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: { message: fault } }))
    }
    const [, kind, number = '0', tag] = ORDER.exec(orderIn(messages)) ?? []
    if (kind === undefined || tag === undefined) return sendAll(response, FINE)
    const attempt = (attempts.get(tag) ?? 0) + 1
    attempts.set(tag, attempt)
    response.once('close', () => left.raise(tag))
    await misbehave(response, { kind: kind as FaultKind, number: Number(number), attempt })
    hung.raise(tag)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get openSockets() {
      return sockets.size
    },
    refused,
    hung: (tag) => hung.when(tag),
    left: (tag) => left.when(tag),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const STREAM_TYPE = { 'content-type': 'text/event-stream' }

/** What the user said last, unless tools have answered since. */
function orderIn(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1)
  return last?.role === 'user' && typeof last.content === 'string' ? last.content : ''
}

interface Misbehaviour {
  readonly kind: FaultKind
  readonly number: number
  /** 1 for the first request with its tag. */
  readonly attempt: number
}

async function misbehave(response: ServerResponse, { kind, number, attempt }: Misbehaviour): Promise<void> {
  switch (kind) {
    case 'silence':
      return begin(response, FINE.slice(0, number % 3))
    case 'cut':
      await begin(response, LONG.slice(0, number % LONG.length))
      return void response.destroy()
    case 'unfinished':
      await begin(response, LONG.slice(0, 1 + (number % (LONG.length - 3))))
      return void response.end()
    case 'empty':
      return void response.writeHead(200, STREAM_TYPE).end(number % 2 === 0 ? '' : 'data: [DONE]\n\n')
    case 'garbage':
      return void response.writeHead(200, number % 2 === 0 ? STREAM_TYPE : { 'content-type': 'text/html' }).end(GARBAGE)
    case 'too-many':
    case 'overloaded':
      if (attempt > number % 3) return sendAll(response, FINE)
      return void response
        .writeHead(kind === 'too-many' ? 429 : 529, { ...JSON_TYPE, 'retry-after': '0' })
        .end(JSON.stringify({ error: { message: 'not now' } }))
    case 'same-ids':
      return sendAll(response, calls([0, 'same', '{"msg":"a"}'], [1, 'same', '{"msg":"bb"}']))
    case 'bad-json':
      return sendAll(response, calls([0, 'bad', BAD_ARGUMENTS[number % BAD_ARGUMENTS.length] ?? '']))
    case 'interleaved':
      return sendAll(response, INTERLEAVED)
    case 'huge':
      return sendAll(response, calls([0, 'huge', `{"msg":"${'x'.repeat(HUGE_BYTES)}"}`]))
  }
}

const BAD_ARGUMENTS = ['{"msg":', 'msg=a', '[1]', '"text"', '{"msg":"\u0000"', 'null', '{"__proto__":{"msg":1}}']
const GARBAGE = '<html>data: {not json}\n\ndata: {"choices":"none"}\n\ndata: \u0000\n\n'

function chunk(delta: object, finish: string | null = null): string {
  const body = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'small' }
  return `data: ${JSON.stringify({ ...body, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

const DONE = 'data: [DONE]\n\n'
const text = (content: string): string => chunk({ content })
const FINE = [text('fine'), chunk({}, 'stop'), DONE]
const LONG = [...'one two three four five six'.split(' ').map((word) => text(`${word} `)), chunk({}, 'stop'), DONE]

type Call = readonly [index: number, id: string, input: string]

const opened = (index: number, id: string): string =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name: 'echo', arguments: '' } }] })
const piece = (index: number, input: string): string =>
  chunk({ tool_calls: [{ index, function: { arguments: input } }] })

function calls(...list: readonly Call[]): readonly string[] {
  const events = list.flatMap(([index, id, input]) => [opened(index, id), piece(index, input)])
  return [text('calling '), ...events, chunk({}, 'tool_calls'), DONE]
}

const INTERLEAVED = [
  ...[opened(0, 'left'), opened(1, 'right'), piece(0, '{"msg"'), piece(1, '{"msg":"b'), piece(0, ':"aa"}')],
  ...[piece(1, 'bb"}'), chunk({}, 'tool_calls'), DONE],
]

async function begin(response: ServerResponse, chunks: readonly string[]): Promise<void> {
  response.writeHead(200, STREAM_TYPE).flushHeaders()
  for (const part of chunks) {
    response.write(part)
    // A network packet of its own.
    await delay(1)
  }
}

async function sendAll(response: ServerResponse, chunks: readonly string[]): Promise<void> {
  await begin(response, chunks)
  response.end()
}

/** Events by name; one that was raised before anybody asked is not lost. */
function createSignals(): { raise(name: string): void; when(name: string): Promise<void> } {
  const signals = new Map<string, PromiseWithResolvers<void>>()
  const find = (name: string): PromiseWithResolvers<void> => {
    const signal = signals.get(name) ?? Promise.withResolvers<void>()
    signals.set(name, signal)
    return signal
  }
  return { raise: (name) => find(name).resolve(), when: (name) => find(name).promise }
}
