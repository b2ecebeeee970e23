// The smallest program that makes turns durable: sockets, as much HTTP as the clients of the benchmark speak, and a database.
// It has the paths, answers and commits of the real server, and is the baseline for turns.
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { ADMITTED, ENDED, closeStore, commitTogether, event, type Write } from './least-store.ts'
import { measureRawTurns } from './raw-turns.ts'

let queue: (Write & { readonly done: () => void })[] = []

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

const STREAM = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'
const chunk = (frame: string): string => `${frame.length.toString(16)}\r\n${frame}\r\n`

async function turn(id: string, script: string, socket: Socket): Promise<void> {
  await append(id, ADMITTED(script))
  const deltas = Number(/tokens (\d+)/.exec(script)?.[1] ?? 0)
  if (deltas > 0) {
    socket.write(STREAM + chunk('id: 3\nevent: turn_start\ndata: {"event":"turn_start"}\n\n'), 'latin1')
    for (let index = 1; index <= deltas; index++) {
      const frame = `id: 4.0.${index * 2}\nevent: text_delta\ndata: {"event":"text_delta","delta":"x "}\n\n`
      socket.write(chunk(frame), 'latin1')
      await new Promise((resolve) => setImmediate(resolve))
    }
  } else if (/call \S+ echo/.test(script)) {
    await append(id, [event('step.answered'), event('tool-call.started')])
    await append(id, [event('tool-call.settled'), event('step.started')])
  }
  await append(id, ENDED())
  const stop = 'id: 7\nevent: turn_stop\ndata: {"event":"turn_stop","stopReason":"end_turn"}\n\n'
  if (deltas > 0) socket.write(`${chunk(stop)}0\r\n\r\n`, 'latin1')
  else answer(socket, '200 OK', { stopReason: 'end_turn', messages: [{ role: 'assistant', content: 'ok' }] })
}

function answer(socket: Socket, status: string, body: unknown): void {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`
  socket.write(head + text, 'latin1')
}

async function answerRequest(path: string, body: string, socket: Socket): Promise<void> {
  if (path === '/raw') return answer(socket, '200 OK', { turnsPerSecond: measureRawTurns() })
  const id = /sessions\/([^/]+)\/turns/.exec(path)?.[1]
  if (id !== undefined) return turn(id, body, socket)
  const sessionId = crypto.randomUUID()
  await append(sessionId, [])
  answer(socket, '201 Created', { sessionId })
}

/** A client sends its next request after the answer to the last one. All text is ASCII. */
function serve(socket: Socket): void {
  let received = ''
  socket.setNoDelay(true).setEncoding('latin1')
  socket
    .on('error', () => socket.destroy())
    .on('data', (text: string) => {
      received += text
      const body = received.indexOf('\r\n\r\n') + 4
      if (body < 4 || received.length < body + Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0)) return
      void answerRequest(received.split(' ', 2)[1] ?? '', received.slice(body), socket)
      received = ''
    })
}

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
process.on('SIGTERM', () => {
  closeStore()
  process.exit(0)
})
