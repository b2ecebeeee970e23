import type { IncomingMessage } from 'node:http'
import type { JsonValue } from '@polylogue/engine'
import type { AapLimits } from '../deps.ts'
import type { JsonLimits } from '../check-json-shape.ts'
import { WireError } from '../errors.ts'
import { parseJsonBody } from '../json-body.ts'

export interface BodyLimits extends JsonLimits {
  readonly bytes: number
}

/** Of a body that may carry images. */
export function largeBody({ bodyBytes, json }: AapLimits): BodyLimits {
  return { ...json, bytes: bodyBytes }
}

export async function readJsonBody(incoming: IncomingMessage, limits: BodyLimits): Promise<JsonValue> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = incoming.headers
  if (encoding.toLowerCase() !== 'identity') throw new WireError(415, 'body: compressed bodies are not taken')
  if (length !== undefined && Number(length) > limits.bytes) throw tooLarge(limits)
  return parseJsonBody(await readBytes(incoming, limits), limits)
}

/** Stops listening at the limit and leaves the rest unread: the answer goes out before the body has come in. */
function readBytes(incoming: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    if (size > limits.bytes) return settle(() => reject(tooLarge(limits)))
    chunks.push(chunk)
  }
  const onEnd = (): void => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
  const onCut = (): void => settle(() => reject(new WireError(400, 'body: the request was cut off')))
  function settle(finish: () => void): void {
    incoming.pause()
    incoming.off('data', onData).off('end', onEnd).off('close', onCut)
    finish()
  }
  incoming.on('data', onData).on('end', onEnd).on('close', onCut)
  // Stays for good: a connection that breaks off reports an error also after we have stopped reading.
  incoming.on('error', onCut)
  if (incoming.destroyed) onCut()
  return promise
}

function tooLarge({ bytes }: BodyLimits): WireError {
  return new WireError(413, `body: larger than ${bytes} bytes`)
}
