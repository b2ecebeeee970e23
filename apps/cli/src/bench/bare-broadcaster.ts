// The bare limit: plain Socket.IO, which broadcasts the output of the same producers, batched at the same rate, and
// does nothing else.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { stampedDeltas } from './stamped-deltas.ts'

const BATCH_MS = 50

const server = createServer()
const io = new Server(server, { serveClient: false })

async function broadcast(room: string, count: number): Promise<void> {
  let text_delta = ''
  let sequence = 0
  const flush = (): void => {
    if (text_delta === '') return
    const data = { type: 'text', text_delta }
    text_delta = ''
    const turn_id = 'turn_0123456789abcdef01234567'
    const patch = { session_id: room, sequence: ++sequence, turn_id, loop_id: 'root', patch_type: 'add_content', data }
    io.to(room).emit('turn:patch', patch)
  }
  const timer = setInterval(flush, BATCH_MS)
  for await (const stamp of stampedDeltas(count)) text_delta += stamp
  clearInterval(timer)
  flush()
  io.to(room).emit('chat:end', { session_id: room, status: 'completed', result: null, finish_reason: 'completed' })
}

io.on('connection', (socket) => {
  socket.on('session:subscribe', ({ session_id }: { session_id: string }, ack: (reply: object) => void) => {
    void socket.join(session_id)
    ack({ status: 'ok' })
  })
  socket.on('chat:send', (payload: { session_id: string; message: string }, ack: (reply: object) => void) => {
    ack({ status: 'ok' })
    void broadcast(payload.session_id, Number(/\d+/.exec(payload.message)?.[0]))
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
process.on('SIGTERM', () => process.exit(0))
