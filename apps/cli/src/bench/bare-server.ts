// The bare limit: a `node:http` server that streams the same bytes from the same producers, and does nothing else.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stampedDeltas } from './stamped-deltas.ts'

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const frame = (offset: number, delta: string): string =>
  `id: 4.0.${offset}\nevent: text_delta\ndata: {"event":"text_delta","delta":${JSON.stringify(delta)}}\n\n`

async function streamTokens(response: ServerResponse, count: number): Promise<void> {
  response.write('id: 3\nevent: turn_start\ndata: {"event":"turn_start"}\n\n')
  for (let index = 1; index <= count; index++) {
    response.write(frame(index * 2, 'x '))
    await nextTick()
  }
  response.end('id: 7\nevent: turn_stop\ndata: {"event":"turn_stop","stopReason":"end_turn"}\n\n')
}

async function streamStamps(response: ServerResponse, count: number): Promise<void> {
  let offset = 0
  for await (const stamp of stampedDeltas(count)) response.write(frame((offset += stamp.length), stamp))
  response.end('id: 7\nevent: turn_stop\ndata: {"event":"turn_stop","stopReason":"end_turn"}\n\n')
}

/** Waits while the other side is measured. */
const KEEP_ALIVE_TIMEOUT_MS = 10 * 60_000

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const [, kind, count] = /(tokens|stamps) (\d+)/.exec(Buffer.concat(chunks).toString()) ?? []
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    void (kind === 'stamps' ? streamStamps(response, Number(count)) : streamTokens(response, Number(count)))
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
process.on('SIGTERM', () => process.exit(0))
