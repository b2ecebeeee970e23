// Watches a session for `large-result.ts`: half of the watchers are lean. They count bytes and parse almost nothing, so that
// the test measures the server and not its readers.
import { type Socket, connect } from 'node:net'

interface Order {
  readonly url: string
  readonly key: string
  readonly sessionId: string
  readonly watchers: number
  readonly bytes: number
}

/** This many bytes of a message say what it is. */
const HEAD = 400

process.once('message', (order) => void watch(order as Order))
process.on('disconnect', () => process.exit())

async function watch(order: Order): Promise<void> {
  const watching: Watcher[] = []
  for (let index = 0; index < order.watchers; index++) watching.push(await openWatcher(order, index % 2 === 0))
  process.send?.('ready')
  const whole = await Promise.all(watching.map(({ ended }) => ended))
  process.send?.(whole.filter(Boolean).length)
}

interface Watcher {
  /** Whether it got the whole result and then the end of the run. */
  readonly ended: Promise<boolean>
}

/** Resolves when it is subscribed. */
async function openWatcher({ url, key, sessionId, bytes }: Order, isLean: boolean): Promise<Watcher> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  const subscribed = Promise.withResolvers<void>()
  const end = Promise.withResolvers<boolean>()
  let hasResult = false
  socket.on('error', () => undefined)
  socket.on('close', () => end.resolve(false))
  const take = (head: string, length: number): void => {
    if (head.startsWith('0{')) send(socket, `40${JSON.stringify({ token: key, ...(isLean && { lean: true }) })}`)
    else if (head.startsWith('40')) send(socket, `420["session:subscribe",{"session_id":"${sessionId}"}]`)
    else if (head.startsWith('430')) subscribed.resolve()
    else if (head === '2') send(socket, '3')
    else if (head.startsWith('42["turn:patch"') && head.includes('"tool_result"')) hasResult ||= length > bytes
    else if (head.startsWith('42["chat:end"')) end.resolve(hasResult)
  }
  countMessages(socket, take)
  socket.write(
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQEBAQEBAQEBAQEBAQEBAQ==\r\n\r\n',
  )
  await subscribed.promise
  return { ended: end.promise }
}

/** Messages of the server are text, one frame each and unmasked. Only their beginnings are kept. */
function countMessages(socket: Socket, take: (head: string, length: number) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  let isOpen = false
  let message: { readonly length: number; left: number; head: Buffer } | undefined
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (!isOpen) {
      const end = rest.indexOf('\r\n\r\n')
      if (end === -1) return
      isOpen = true
      rest = rest.subarray(end + 4)
    }
    while (rest.length > 0) {
      if (message === undefined) {
        const short = rest[1] ?? 0
        const size = short < 126 ? 2 : short === 126 ? 4 : 10
        if (rest.length < size) return
        const length = short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2))
        message = { length, left: length, head: Buffer.alloc(0) }
        rest = rest.subarray(size)
      }
      const part = rest.subarray(0, message.left)
      if (message.head.length < HEAD) message.head = Buffer.concat([message.head, part.subarray(0, HEAD)])
      message.left -= part.length
      rest = rest.subarray(part.length)
      if (message.left > 0) return
      const { head, length } = message
      message = undefined
      take(head.toString('utf8', 0, HEAD), length)
    }
  })
}

/** Masked with zeros, which leaves the bytes as they are. */
function send(socket: Socket, text: string): void {
  const bytes = Buffer.from(text)
  const length = bytes.length < 126 ? [0x80 | bytes.length] : [0xfe, bytes.length >> 8, bytes.length & 0xff]
  socket.write(Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), bytes]))
}
