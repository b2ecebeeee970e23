import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock, NodeFacts, Nodes } from '@polylogue/engine'
import { request } from '../platform/node-http.ts'

/** Passes requests of a connection on to the node that has the connection. */
export interface NodeForwarding {
  /** `false`: no such node can be reached, and nothing was answered. */
  request(nodeId: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean>
  upgrade(nodeId: string, incoming: IncomingMessage, socket: Duplex): Promise<boolean>
}

export interface NodeForwardingDeps {
  readonly self: NodeFacts
  readonly nodes: Pick<Nodes, 'list'>
  readonly clock: Clock
}

/** A forwarded request is never forwarded again. */
const FORWARDED = 'polylogue-forwarded-by'
const FRESH_MS = 1_000
/** A long poll is answered at the next ping at the latest. */
const ANSWER_WITHIN_MS = 60_000

export const isForwarded = ({ headers }: IncomingMessage): boolean => headers[FORWARDED] !== undefined

export function createNodeForwarding({ self, nodes, clock }: NodeForwardingDeps): NodeForwarding {
  let known: { readonly readAt: number; readonly urls: Promise<ReadonlyMap<string, string>> } | undefined
  const readUrls = async (): Promise<ReadonlyMap<string, string>> => {
    const list = await nodes.list()
    return new Map(list.flatMap(({ nodeId, url, isAlive }) => (isAlive && url !== undefined ? [[nodeId, url]] : [])))
  }
  const urlOf = async (nodeId: string): Promise<string | undefined> => {
    const now = clock.now()
    if (known === undefined || now - known.readAt >= FRESH_MS || now < known.readAt) {
      known = { readAt: now, urls: readUrls() }
    }
    // Without the storage, nobody knows the nodes.
    return known.urls.then(
      (urls) => urls.get(nodeId),
      () => undefined,
    )
  }

  const begin = async (nodeId: string, incoming: IncomingMessage): Promise<ClientRequest | undefined> => {
    const url = await urlOf(nodeId)
    if (url === undefined) return undefined
    const target = new URL(url)
    // TLS takes 8 ms and 4 MB to load, so it is loaded here.
    const ask = target.protocol === 'https:' ? process.getBuiltinModule('node:https').request : request
    const { method, url: path } = incoming
    const headers = { ...incoming.headers, [FORWARDED]: self.nodeId }
    // The path as it came: resolved, `/socket.io/../metrics` would be another route of that node.
    return ask(target, { method, headers, path: path ?? '/', agent: false, timeout: ANSWER_WITHIN_MS })
  }

  return {
    async request(nodeId, incoming, outgoing) {
      const onward = await begin(nodeId, incoming)
      if (onward === undefined) return false
      onward.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.on('error', () => outgoing.destroy()).pipe(outgoing)
      })
      // The client asks again, and finds out then whether its connection still exists.
      onward.on('timeout', () => onward.destroy()).on('error', () => outgoing.destroy())
      outgoing.on('close', () => onward.destroy())
      incoming.pipe(onward)
      return true
    },
    async upgrade(nodeId, incoming, socket) {
      const onward = await begin(nodeId, incoming)
      if (onward === undefined) return false
      onward.setTimeout(0)
      onward.on('upgrade', ({ statusCode, statusMessage, rawHeaders }, other, head) => {
        const lines = rawHeaders.flatMap((name, index) =>
          index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
        )
        socket.write([`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n'))
        if (head.length > 0) socket.write(head)
        other.on('error', () => socket.destroy()).on('close', () => socket.destroy())
        socket.on('close', () => other.destroy())
        other.pipe(socket)
        socket.pipe(other)
      })
      onward.on('response', () => socket.destroy()).on('error', () => socket.destroy())
      onward.end()
      return true
    },
  }
}
