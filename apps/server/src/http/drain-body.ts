import type { IncomingMessage, ServerResponse } from 'node:http'

const PATIENCE_MS = 500
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Reads on after an answer that came before the end of its request's body. If the connection were closed at once, the
 * client could lose the answer. A body that is too long, or too slow, ends the connection.
 */
export function drainWhenSent(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (outgoing.writableFinished) drain(incoming)
  else outgoing.on('finish', () => drain(incoming))
}

function drain(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return
  let bytes = 0
  const end = (): void => incoming.socket.destroySoon()
  const timer = setTimeout(end, PATIENCE_MS).unref()
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MOST_BYTES) end()
  })
  incoming.on('close', () => clearTimeout(timer))
  incoming.on('error', () => undefined)
  incoming.resume()
}
