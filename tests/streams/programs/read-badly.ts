// Readers of one event stream that behave badly, in a process of their own, so that serving them costs nobody else time.
// The order stands in the argument; `ready` is said when all are there; they stay until the process is ended.
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import type { Exchange } from '../../support/http-exchange.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { throughProxy } from '../support/through-proxy.ts'
import type { BadReaders } from '../support/bad-readers.ts'

const SLOW = { bytesPerSecond: 100 }
const GONE = { hidesLeaving: true }
const AT_A_TIME = 50
const STATUS_LINE = 'HTTP/1.1 200'

interface Order extends BadReaders {
  readonly watch: Exchange
}

async function openAll({ watch, silent, slow, gone }: Order): Promise<void> {
  const target = { url: new URL(watch.url).origin }
  const [slowWay, goneWay] = await Promise.all([startFaultProxy(target), startFaultProxy(target)])
  slowWay.spoilAll(SLOW)
  goneWay.spoilAll(GONE)
  await inGroups(silent, async () => void (await open(watch)))
  await inGroups(slow, async () => void (await open(throughProxy(watch, slowWay))).resume())
  await inGroups(gone, async () => {
    const socket = await open(throughProxy(watch, goneWay))
    socket.destroy()
    await once(socket, 'close')
  })
}

/** The headers of the answer are there. After that only what fits into the buffers of the socket is taken from it. */
async function open({ method, url, headers }: Exchange): Promise<Socket> {
  const { hostname, port, pathname, search, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  let head = ''
  while (head.length < STATUS_LINE.length) {
    await once(socket, 'readable')
    head += String(socket.read() ?? '')
  }
  if (!head.startsWith(STATUS_LINE)) throw new Error(`a reader was not let in: ${head}`)
  return socket
}

async function inGroups(count: number, run: () => Promise<void>): Promise<void> {
  for (let begun = 0; begun < count; begun += AT_A_TIME) {
    await Promise.all(Array.from({ length: Math.min(AT_A_TIME, count - begun) }, run))
  }
}

await openAll(JSON.parse(process.argv[2] ?? '') as Order)
process.stdout.write('ready\n')
