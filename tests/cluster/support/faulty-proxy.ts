import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** What happens to the bytes between a node and its database. */
export type NetworkFault =
  /** Each piece comes this much later. */
  | { readonly type: 'slow'; readonly ms: number }
  /** The database hears the node, and its answers are lost. Connections stay open. */
  | { readonly type: 'deaf' }
  /** No byte passes in either direction. Connections stay open. */
  | { readonly type: 'silent' }
  /** Connections are refused, and open ones are reset in the middle of an answer. */
  | { readonly type: 'refuse' }

/** A proxy in front of a database, for one node. */
export interface FaultyProxy {
  readonly url: string
  /** `undefined`: bytes pass again. Connections that lost some are reset. */
  set(fault: NetworkFault | undefined): void
  /** Resets all connections, each after the first bytes of its next answer. */
  reset(): void
  close(): void
}

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  isDoomed: boolean
  hasLost: boolean
}

/** The type and the length of a message of PostgreSQL take five. */
const FIRST_BYTES = 3

export async function startFaultyProxy(url: string): Promise<FaultyProxy> {
  const target = new URL(url)
  const pairs = new Set<Pair>()
  let fault: NetworkFault | undefined

  const end = (pair: Pair): void => {
    pairs.delete(pair)
    pair.client.resetAndDestroy()
    pair.upstream.destroy()
  }
  const pass = (pair: Pair, from: Socket, to: Socket): void => {
    /** Pieces that wait. Later ones must not overtake them. */
    let waiting = 0
    let before: Promise<unknown> = Promise.resolve()
    const isAnswer = from === pair.upstream
    from.on('error', () => undefined)
    from.on('close', () => {
      pairs.delete(pair)
      void before.then(() => to.destroy())
    })
    from.on('data', (bytes) => {
      if (fault?.type === 'silent' || (fault?.type === 'deaf' && isAnswer)) return void (pair.hasLost = true)
      const delayMs = fault?.type === 'slow' ? fault.ms : 0
      const write = (): void => {
        if (to.destroyed) return
        if (!isAnswer || !pair.isDoomed) return void to.write(bytes)
        to.write(bytes.subarray(0, FIRST_BYTES), () => end(pair))
      }
      if (delayMs === 0 && waiting === 0) return write()
      waiting += 1
      before = Promise.all([before, delay(delayMs)]).then(() => {
        waiting -= 1
        write()
      })
    })
  }
  const server = createServer((client) => {
    if (fault?.type === 'refuse') return void client.resetAndDestroy()
    const upstream = connect(Number(target.port), target.hostname)
    const pair: Pair = { client, upstream, isDoomed: false, hasLost: false }
    pairs.add(pair)
    pass(pair, client, upstream)
    pass(pair, upstream, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const own = new URL(url)
  own.port = String(address.port)
  return {
    url: own.href,
    set(next) {
      fault = next
      for (const pair of pairs) {
        if (next?.type === 'refuse') pair.isDoomed = true
        else if (next === undefined && pair.hasLost) end(pair)
      }
    },
    reset() {
      for (const pair of pairs) pair.isDoomed = true
    },
    close() {
      server.close()
      for (const pair of [...pairs]) end(pair)
    },
  }
}
