import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** A connection that sends one request after another. It does not decode answers, so that clients cost little CPU. */
export class KeepAliveClient {
  readonly #socket: Socket
  readonly #head: string
  #received: Buffer[] = []
  #size = 0
  /** The length of the whole answer. `undefined` before its head is complete, infinite if the answer is chunked. */
  #expected: number | undefined
  #done: PromiseWithResolvers<void> | undefined
  #sentAt = 0
  firstByteMs = 0

  private constructor(socket: Socket, head: string) {
    this.#socket = socket
    this.#head = head
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('close', () => this.#done?.reject(new Error('the server closed the connection')))
    socket.on('error', (error) => this.#done?.reject(error))
  }

  static async open({ url, key }: { readonly url: string; readonly key: string }): Promise<KeepAliveClient> {
    const { hostname, port, host } = new URL(url)
    const socket = connect(Number(port), hostname)
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new KeepAliveClient(socket, `Host: ${host}\r\nAuthorization: Bearer ${key}\r\n`)
  }

  post(path: string, body: unknown): Promise<void> {
    const text = JSON.stringify(body)
    const length = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`
    return this.#send(`POST ${path} HTTP/1.1\r\n${this.#head}${length}\r\n${text}`)
  }

  get(path: string): Promise<void> {
    return this.#send(`GET ${path} HTTP/1.1\r\n${this.#head}\r\n`)
  }

  /** The body of the last answer, if it was not chunked. */
  get body(): string {
    const all = Buffer.concat(this.#received)
    return all.subarray(all.indexOf(HEAD_END) + HEAD_END.length).toString()
  }

  close(): void {
    this.#done = undefined
    this.#socket.destroy()
  }

  #send(request: string): Promise<void> {
    this.#received = []
    this.#size = 0
    this.#expected = undefined
    this.#done = Promise.withResolvers()
    this.firstByteMs = 0
    this.#sentAt = performance.now()
    this.#socket.write(request)
    return this.#done.promise
  }

  #receive(chunk: Buffer): void {
    if (this.#size === 0) this.firstByteMs = performance.now() - this.#sentAt
    this.#received.push(chunk)
    this.#size += chunk.length
    if (this.#expected === undefined) this.#readHead()
    if (this.#expected === undefined) return
    const isOver = this.#expected === Infinity ? this.#endsWithLastChunk() : this.#size >= this.#expected
    if (isOver) this.#done?.resolve()
  }

  #readHead(): void {
    const all = Buffer.concat(this.#received)
    const end = all.indexOf(HEAD_END)
    if (end < 0) return
    this.#received = [all]
    const head = all.subarray(0, end).toString('latin1')
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
    if (!(status >= 200 && status < 300)) {
      this.#done?.reject(new Error(`the server answered ${status}: ${all.subarray(end).toString().slice(0, 300)}`))
    }
    const length = /^content-length: (\d+)/im.exec(head)?.[1]
    this.#expected = length === undefined ? Infinity : end + HEAD_END.length + Number(length)
  }

  #endsWithLastChunk(): boolean {
    const last = this.#received.at(-1)
    if (last === undefined) return false
    if (last.length >= LAST_CHUNK.length) return last.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
    return Buffer.concat(this.#received).subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
  }
}
