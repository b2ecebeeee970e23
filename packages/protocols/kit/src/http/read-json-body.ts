import type { IncomingMessage } from 'node:http'
import type { JsonValue } from '@polylogue/engine'
import { JsonRefused, parseJson, type JsonLimits } from '../json/parse-json.ts'

export interface BodyLimits extends JsonLimits {
  readonly bytes: number
  /** Absent: every body is read and parsed at once. */
  readonly large?: LargeBodies
}

/** Keeps large bodies from filling the memory, and from stopping the loop for everybody else. */
export interface LargeBodies {
  /** Resolves when the body may be received. */
  admit(incoming: IncomingMessage): Promise<AdmittedBody>
}

export interface AdmittedBody {
  /** Runs `parse` when it is the turn of this body of so many bytes. */
  parse<T>(bytes: number, parse: () => T): Promise<T>
  /** Contract: called exactly once. */
  leave(): void
}

/** Smaller bodies are read and parsed at once. */
const LARGE_BYTES = 256 * 1024

/** A body that is not taken. The message is safe to send to the client. */
export class BodyRefused extends Error {
  readonly status: 400 | 413 | 415

  constructor(status: BodyRefused['status'], message: string) {
    super(`body: ${message}`)
    this.name = 'BodyRefused'
    this.status = status
  }
}

/** Reads and parses a request body within its limits. Throws `BodyRefused`. */
export async function readJsonBody(incoming: IncomingMessage, limits: BodyLimits): Promise<JsonValue> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = incoming.headers
  if (encoding.toLowerCase() !== 'identity') throw new BodyRefused(415, 'compressed bodies are not supported')
  if (length !== undefined && Number(length) > limits.bytes) throw tooLarge(limits.bytes)
  const isSmall = limits.bytes <= LARGE_BYTES || (length !== undefined && Number(length) <= LARGE_BYTES)
  const admitted = isSmall ? undefined : await limits.large?.admit(incoming)
  try {
    const bytes = await readBytes(incoming, limits.bytes)
    const parse = (): JsonValue => parseJson(bytes, limits)
    return await (admitted === undefined || bytes.length <= LARGE_BYTES ? parse() : admitted.parse(bytes.length, parse))
  } catch (error) {
    if (error instanceof JsonRefused) throw new BodyRefused(400, error.message)
    throw error
  } finally {
    admitted?.leave()
  }
}

/** Stops reading at the limit, so that the answer leaves before the body has arrived. */
function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    if (size > maxBytes) return settle(() => reject(tooLarge(maxBytes)))
    chunks.push(chunk)
  }
  const onEnd = (): void => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
  const onCut = (): void => settle(() => reject(new BodyRefused(400, 'the request was cut off')))
  function settle(finish: () => void): void {
    incoming.pause()
    incoming.off('data', onData).off('end', onEnd).off('close', onCut)
    finish()
  }
  incoming.on('data', onData).on('end', onEnd).on('close', onCut)
  // This listener stays: a broken connection emits `error` even after we have stopped reading.
  incoming.on('error', onCut)
  if (incoming.destroyed) onCut()
  return promise
}

export const tooLarge = (maxBytes: number): BodyRefused => new BodyRefused(413, `larger than ${maxBytes} bytes`)
