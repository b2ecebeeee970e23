import { once } from 'node:events'
import { WebSocket } from 'ws'

export type Frame = Readonly<Record<string, unknown>>

/** An editor on the network door of ACP, which says nothing by itself. */
export interface AcpClient {
  /** Everything that came, in order. */
  readonly frames: readonly Frame[]
  request(method: string, params: object): Promise<Frame>
  /** Sends the request and does not wait. */
  begin(method: string, params: object): Promise<Frame>
  answer(id: unknown, result: object): void
  close(): void
  /** Resolves when the connection has ended. */
  readonly closed: Promise<unknown>
}

export async function connectAcp(url: string, key: string, agent = 'scripted'): Promise<AcpClient> {
  const headers = { authorization: `Bearer ${key}` }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/acp?agent=${agent}`, { headers })
  await once(socket, 'open')
  // A server that dies resets the connection. The end follows.
  socket.on('error', () => undefined)
  const frames: Frame[] = []
  const waiting = new Map<unknown, (frame: Frame) => void>()
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Frame
    frames.push(frame)
    if (frame['method'] === undefined) waiting.get(frame['id'])?.(frame)
  })
  let lastId = 0
  const send = (frame: object): void => socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame }))
  const begin = (method: string, params: object): Promise<Frame> => {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<Frame>()
    waiting.set(id, resolve)
    send({ id, method, params })
    return promise
  }
  const closed = once(socket, 'close')
  const client: AcpClient = {
    closed,
    frames,
    begin,
    async request(method, params) {
      const { result, error } = await begin(method, params)
      if (error !== undefined) throw new Error(JSON.stringify(error))
      return result as Frame
    },
    answer: (id, result) => send({ id, result }),
    close: () => socket.terminate(),
  }
  await client.request('initialize', { protocolVersion: 1, clientInfo: { name: 'zed', version: '1' } })
  return client
}
