// The smallest program that makes turns durable: `node:http` and a database, with the same paths, answers and commits
// as the real server. It is the baseline for turns.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ADMITTED, ENDED, closeStore, commitTogether, event } from './least-store.ts'
import { measureRawTurns } from './raw-turns.ts'

let queue: { readonly id: string; readonly events: readonly string[]; readonly done: () => void }[] = []

function flush(): void {
  const group = queue
  queue = []
  commitTogether(group)
  for (const { done } of group) done()
}

const append = (id: string, events: readonly string[]): Promise<void> =>
  new Promise((done) => {
    if (queue.push({ id, events, done }) === 1) setImmediate(flush)
  })

async function turn(id: string, script: string, response: ServerResponse): Promise<void> {
  await append(id, ADMITTED(script))
  const deltas = Number(/tokens (\d+)/.exec(script)?.[1] ?? 0)
  if (deltas > 0) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('id: 3\nevent: turn_start\ndata: {"event":"turn_start"}\n\n')
    for (let index = 1; index <= deltas; index++) {
      response.write(`id: 4.0.${index * 2}\nevent: text_delta\ndata: {"event":"text_delta","delta":"x "}\n\n`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  } else if (/call \S+ echo/.test(script)) {
    await append(id, [event('step.answered'), event('tool-call.started')])
    await append(id, [event('tool-call.settled'), event('step.started')])
  }
  await append(id, ENDED())
  if (deltas > 0) response.end('id: 7\nevent: turn_stop\ndata: {"event":"turn_stop","stopReason":"end_turn"}\n\n')
  else answer(response, 200, { stopReason: 'end_turn', messages: [{ role: 'assistant', content: 'ok' }] })
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  let body = ''
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
  request.on('end', () => void answerRequest(request.url ?? '', body, response))
}

async function answerRequest(url: string, body: string, response: ServerResponse): Promise<void> {
  const id = /sessions\/([^/]+)\/turns/.exec(url)?.[1]
  if (id !== undefined) return turn(id, body, response)
  const sessionId = crypto.randomUUID()
  await append(sessionId, [])
  answer(response, 201, { sessionId })
}

const rawTurnsPerSecond = measureRawTurns()
const server = createServer({ keepAliveTimeout: 600_000 }, handle)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, rawTurnsPerSecond })}\n`)
})
process.on('SIGTERM', () => {
  closeStore()
  process.exit(0)
})
