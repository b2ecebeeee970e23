import { LineReader } from '@polylogue/kit/light'
import type { RawData, WebSocket } from 'ws'

const UNSUPPORTED = 1003
const NORMAL = 1000
const LINE_END = Buffer.from('\n')

/** A WebSocket as a stream of lines. One message is one frame. */
export interface FrameStreams {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Ends the input at once. Later messages are ignored. */
  stopReading(): void
}

export function toFrameStreams(webSocket: WebSocket): FrameStreams {
  return { ...readMessages(webSocket), output: writeMessages(webSocket) }
}

function readMessages(webSocket: WebSocket): Pick<FrameStreams, 'input' | 'stopReading'> {
  let isOpen = true
  let stopReading = (): void => undefined
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      stopReading = () => {
        if (isOpen) controller.close()
        isOpen = false
      }
      webSocket.on('message', (message: RawData, isBinary: boolean) => {
        if (!isOpen) return
        if (isBinary) return webSocket.close(UNSUPPORTED, 'Send text.')
        controller.enqueue(toBytes(message))
        controller.enqueue(LINE_END)
        // Backpressure: the rest stays with the client.
        if ((controller.desiredSize ?? 1) <= 0) webSocket.pause()
      })
      webSocket.on('close', stopReading)
      // For a broken or too large frame, `ws` closes the connection with the right code.
      webSocket.on('error', stopReading)
    },
    pull: () => webSocket.resume(),
    cancel() {
      isOpen = false
      webSocket.close(NORMAL)
    },
  })
  return { input, stopReading }
}

function writeMessages(webSocket: WebSocket): WritableStream<Uint8Array> {
  const lines = new LineReader()
  return new WritableStream<Uint8Array>({
    async write(chunk) {
      const frames = [...lines.push(chunk)]
      if (webSocket.readyState !== webSocket.OPEN) throw new Error('the client has gone')
      await Promise.all(frames.map((frame) => send(webSocket, frame)))
    },
    close: () => webSocket.close(NORMAL),
    abort: () => webSocket.close(NORMAL),
  })
}

function send(webSocket: WebSocket, frame: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const done = (error?: Error): void => (error === undefined || error === null ? resolve() : reject(error))
  webSocket.send(frame.subarray(0, -1), { binary: false }, done)
  return promise
}

function toBytes(message: RawData): Uint8Array {
  if (Array.isArray(message)) return Buffer.concat(message)
  return message instanceof ArrayBuffer ? new Uint8Array(message) : message
}
