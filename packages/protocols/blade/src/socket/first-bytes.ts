import type { Socket } from 'socket.io'

type Connection = Socket['conn']

interface Bounded {
  maxHttpBufferSize?: number
}

/**
 * Bounds what a connection may send before it is known whose it is. A polling request is bounded by its transport; over a
 * WebSocket the bytes are counted as they come in. Answers what lifts the bound.
 */
export function boundFirstBytes(
  connection: Connection,
  bounds: { readonly firstBytes: number; readonly messageBytes: number },
): () => void {
  const { socket } = connection.request
  let count = 0
  const onBytes = (chunk: Buffer): void => {
    count += chunk.length
    if (count > bounds.firstBytes) socket.destroy()
  }
  const isWebSocket = connection.transport.name === 'websocket'
  if (isWebSocket) socket.on('data', onBytes)
  else (connection.transport as Bounded).maxHttpBufferSize = bounds.firstBytes
  return () => {
    socket.off('data', onBytes)
    if (!isWebSocket) (connection.transport as Bounded).maxHttpBufferSize = bounds.messageBytes
  }
}
