import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http'
import { constants, gzip } from 'node:zlib'
import { ServerResponse } from '../platform/node-http.ts'

export type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Below this size compression saves nothing that a client notices. */
const MIN_BYTES = 8 * 1024
/** A body waits in memory until it is compressed. */
const MAX_BYTES = 64 * 1024 * 1024
/** zlib shares its threads with the file system. Beyond this number answers go out as they are. */
const MOST_AT_ONCE = 2

interface HeldHead {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  /** Present once the length of the body was announced: then its pieces are collected. */
  readonly chunks: Buffer[] | undefined
}

let running = 0

/**
 * Compresses JSON bodies for clients that accept gzip, on a thread of its own. A body whose length is not known goes out
 * piece by piece as it is: each event of a stream must leave at once.
 */
export class CompressingResponse<Incoming extends IncomingMessage = IncomingMessage> extends ServerResponse<Incoming> {
  #held: HeldHead | undefined

  override writeHead(status: number, reason?: string, headers?: GivenHeaders): this
  override writeHead(status: number, headers?: GivenHeaders): this
  override writeHead(status: number, second?: string | GivenHeaders, third?: GivenHeaders): this {
    if (typeof second === 'string') return super.writeHead(status, second, third)
    if (second === undefined || Array.isArray(second) || !acceptsGzip(this.req)) return super.writeHead(status, second)
    const named = new Map(Object.entries(second).map(([name, value]) => [name.toLowerCase(), String(value)]))
    const length = named.get('content-length')
    const isCandidate =
      JSON_TYPE.test(named.get('content-type') ?? '') &&
      !named.has('content-encoding') &&
      (length === undefined || isWorthIt(Number(length)))
    if (!isCandidate) return super.writeHead(status, second)
    this.#held = { status, headers: second, chunks: length === undefined ? undefined : [] }
    return this
  }

  override flushHeaders(): void {
    this.#release()
    super.flushHeaders()
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (this.#held?.chunks === undefined) {
      this.#release()
      return Reflect.apply(super.write, this, [chunk, ...rest]) as boolean
    }
    this.#held.chunks.push(...toBuffers(chunk, rest[0]))
    const written = rest.findLast((value) => typeof value === 'function')
    if (typeof written === 'function') queueMicrotask(() => void Reflect.apply(written, this, []))
    return true
  }

  override end(...given: unknown[]): this {
    const held = this.#held
    const last = typeof given[0] === 'function' ? [] : toBuffers(given[0], given[1])
    const body = held && Buffer.concat([...(held.chunks ?? []), ...last])
    if (held === undefined || body === undefined) return Reflect.apply(super.end, this, given) as this
    const ended = given.findLast((value) => typeof value === 'function')
    const done = (): void => void (typeof ended === 'function' && Reflect.apply(ended, this, []))
    if (!isWorthIt(body.length)) {
      this.#release()
      return super.end(body, done)
    }
    this.#held = undefined
    this.#compress(held, body, done)
    return this
  }

  /** The head goes out as it was given. */
  #release(): void {
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    super.writeHead(held.status, held.headers)
  }

  #compress({ status, headers }: HeldHead, body: Buffer, done: () => void): void {
    running += 1
    gzip(body, { level: constants.Z_BEST_SPEED }, (error, compressed) => {
      running -= 1
      if (this.destroyed) return
      super.writeHead(status, error === null ? toCompressed(headers, compressed.length) : headers)
      super.end(error === null ? compressed : body, done)
    })
  }
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i

const isWorthIt = (length: number): boolean => length >= MIN_BYTES && length <= MAX_BYTES && running < MOST_AT_ONCE

function toCompressed(headers: OutgoingHttpHeaders, length: number): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !/^(?:content-length|vary)$/i.test(name))
  const vary = Object.entries(headers).flatMap(([name, value]) => (/^vary$/i.test(name) ? [String(value)] : []))
  return {
    ...Object.fromEntries(kept),
    'Content-Encoding': 'gzip',
    'Content-Length': length,
    Vary: [...vary, 'Accept-Encoding'].join(', '),
  }
}

function acceptsGzip({ method, headers }: IncomingMessage): boolean {
  const accepted = headers['accept-encoding']
  if (accepted === undefined || method === 'HEAD') return false
  const codings = String(accepted)
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()))
  const named = codings.find(([name]) => name === 'gzip') ?? codings.find(([name]) => name === '*')
  return named !== undefined && weightOf(named[1]) > 0
}

/** `q=0.5`. Anything else than a number counts as a refusal. */
function weightOf(weight = 'q=1'): number {
  const [name = '', value = ''] = weight.split('=')
  return name.trim() === 'q' ? Number(value) : 0
}

function toBuffers(chunk: unknown, encoding: unknown): readonly Buffer[] {
  if (chunk instanceof Uint8Array) return [Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)]
  if (typeof chunk !== 'string') return []
  return [Buffer.from(chunk, isEncoding(encoding) ? encoding : 'utf8')]
}

const isEncoding = (value: unknown): value is BufferEncoding => typeof value === 'string' && Buffer.isEncoding(value)
