import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Socket } from 'node:net'
import type { Params } from './acp-process.ts'

/** The owner's end of a pipe, spoken to directly. */
export interface RawPipe {
  request(method: string, params: Params): Promise<unknown>
  close(): void
}

export async function connectRaw(dataDir: string, handshake: object): Promise<RawPipe> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  request({
    socketPath: join(dataDir, 'polylogue.sock'),
    path: '/acp',
    headers: {
      connection: 'Upgrade',
      upgrade: 'polylogue-acp',
      'polylogue-handshake': encodeURIComponent(JSON.stringify(handshake)),
    },
    agent: false,
  })
    .on('upgrade', (_incoming, socket: Socket) => resolve(socket))
    .on('response', ({ statusCode }) => reject(new Error(`refused with ${statusCode}`)))
    .on('error', reject)
    .end()
  const socket = await promise
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    async request(method, params) {
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`)
      const { value } = await lines.next()
      return (JSON.parse(String(value)) as { readonly result: unknown }).result
    },
    close: () => socket.destroy(),
  }
}
