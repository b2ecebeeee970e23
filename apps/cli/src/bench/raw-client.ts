import { connect, type Socket } from 'node:net'
import type { ChildServer } from './child-server.ts'

const END = Buffer.from('0\r\n\r\n')

/**
 * A keep-alive connection that posts and reads streams without parsing them, so that the client costs as little CPU as
 * possible. An answer ends with the last chunk of its chunked body.
 */
export class RawClient {
  readonly #socket: Socket
  readonly #head: string
  #onChunk: ((chunk: Buffer) => void) | undefined
  #onEnd: PromiseWithResolvers<void> | undefined
  #tail: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket, head: string) {
    this.#socket = socket
    this.#head = head
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('close', () => this.#onEnd?.reject(new Error('the server closed the connection')))
    socket.on('error', (error) => this.#onEnd?.reject(error))
  }

  static async open(server: Pick<ChildServer, 'url' | 'key'>): Promise<RawClient> {
    const socket = connect(Number(server.url.port), server.url.hostname)
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    const head = `Host: ${server.url.host}\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\n`
    return new RawClient(socket, head)
  }

  /** Resolves when the answer is complete. */
  post(path: string, body: unknown, onChunk?: (chunk: Buffer) => void): Promise<void> {
    if (this.#socket.destroyed) return Promise.reject(new Error('the server has closed the connection'))
    const text = JSON.stringify(body)
    this.#onChunk = onChunk
    this.#onEnd = Promise.withResolvers()
    this.#tail = Buffer.alloc(0)
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\n${this.#head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    )
    return this.#onEnd.promise
  }

  /** Resolves when the stream has begun; it stays open. */
  follow(path: string, onChunk?: (chunk: Buffer) => void): Promise<void> {
    const begun = Promise.withResolvers<void>()
    this.#onEnd = begun
    this.#onChunk = (chunk) => {
      begun.resolve()
      onChunk?.(chunk)
    }
    this.#socket.write(`GET ${path} HTTP/1.1\r\n${this.#head}\r\n`)
    return begun.promise
  }

  close(): void {
    this.#onEnd = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#onChunk?.(chunk)
    this.#tail =
      chunk.length >= END.length
        ? chunk.subarray(-END.length)
        : Buffer.concat([this.#tail, chunk]).subarray(-END.length)
    if (this.#tail.equals(END)) this.#onEnd?.resolve()
  }
}

export async function createSession(server: ChildServer, agent: string, tools?: readonly object[]): Promise<string> {
  const response = await fetch(new URL('/aap/v3/sessions', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: { name: agent, ...(tools && { tools }) } }),
  })
  if (response.status !== 201) throw new Error(`no session: ${response.status} ${await response.text()}`)
  const { sessionId } = (await response.json()) as { sessionId: string }
  return sessionId
}

export const turnBody = (script: string) => ({ stream: 'delta', messages: [{ role: 'user', content: script }] })
