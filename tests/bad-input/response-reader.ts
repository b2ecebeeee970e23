// Reads HTTP/1.1 answers from the bytes of a connection, strictly: what a lenient reader would repair is a defect here.

export interface RawResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export interface ResponseReader {
  /** The answers that these bytes completed. Throws a `BrokenResponse`. */
  feed(bytes: Buffer): RawResponse[]
  /** The connection is over. Gives the answer that lasted until now, throws if one was cut. */
  end(): RawResponse | undefined
  /** An answer has begun and is not complete. */
  readonly isInside: boolean
  /** What of it has come so far. */
  readonly partial: RawResponse | undefined
}

export class BrokenResponse extends Error {
  constructor(problem: string, excerpt: Buffer) {
    super(`${problem}: ${JSON.stringify(excerpt.subarray(0, 200).toString('latin1'))}`)
    this.name = 'BrokenResponse'
  }
}

/** `bytes` are those still to come. */
type Framing =
  | { readonly type: 'length'; bytes: number }
  | { readonly type: 'chunked' }
  | { readonly type: 'until close' }

interface Head {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly framing: Framing
}

const LARGEST_HEAD = 16 * 1024

export function createResponseReader(isHead: () => boolean): ResponseReader {
  let pending: Buffer = Buffer.alloc(0)
  let head: Head | undefined
  let chunks: Buffer[] = []

  const finish = ({ status, headers }: Head): RawResponse => {
    const response = { status, headers, body: Buffer.concat(chunks) }
    head = undefined
    chunks = []
    return response
  }

  function next(): RawResponse | undefined {
    head ??= takeHead()
    if (head === undefined) return undefined
    if (head.framing.type === 'until close') {
      chunks.push(pending)
      pending = Buffer.alloc(0)
      return undefined
    }
    if (head.framing.type === 'chunked') return takeChunks() ? finish(head) : undefined
    const taken = pending.subarray(0, head.framing.bytes)
    pending = pending.subarray(taken.length)
    chunks.push(taken)
    head.framing.bytes -= taken.length
    return head.framing.bytes === 0 ? finish(head) : undefined
  }

  function takeHead(): Head | undefined {
    const end = pending.indexOf('\r\n\r\n')
    if (end === -1) {
      if (pending.length > LARGEST_HEAD) throw new BrokenResponse('a head without an end', pending)
      return undefined
    }
    const taken = parseHead(pending.subarray(0, end), isHead())
    pending = pending.subarray(end + 4)
    return taken.status === 100 ? takeHead() : taken
  }

  /** True after the last chunk. */
  function takeChunks(): boolean {
    for (;;) {
      const lineEnd = pending.indexOf('\r\n')
      if (lineEnd === -1) return false
      const size = pending.subarray(0, lineEnd).toString('latin1')
      if (!/^[0-9a-f]{1,8}$/i.test(size)) throw new BrokenResponse('a chunk without a size', pending)
      const bytes = Number.parseInt(size, 16)
      const after = lineEnd + 2 + bytes + 2
      if (pending.length < after) return false
      if (pending.subarray(after - 2, after).toString('latin1') !== '\r\n') {
        throw new BrokenResponse('a chunk of another size', pending)
      }
      chunks.push(pending.subarray(lineEnd + 2, after - 2))
      pending = pending.subarray(after)
      if (bytes === 0) return true
    }
  }

  return {
    feed(bytes) {
      pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
      const responses: RawResponse[] = []
      for (let response = next(); response !== undefined; response = next()) responses.push(response)
      return responses
    },
    end() {
      if (head?.framing.type === 'until close') return finish(head)
      if (head !== undefined || pending.length > 0) throw new BrokenResponse('the answer was cut', pending)
      return undefined
    },
    get isInside() {
      return head !== undefined || pending.length > 0
    },
    get partial() {
      return head && { status: head.status, headers: head.headers, body: Buffer.concat(chunks) }
    },
  }
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e\x80-\xff]*)$/

function parseHead(bytes: Buffer, isHead: boolean): Head {
  const [first = '', ...lines] = bytes.toString('latin1').split('\r\n')
  const status = Number(STATUS_LINE.exec(first)?.[1])
  if (Number.isNaN(status)) throw new BrokenResponse('no status line', bytes)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = HEADER_LINE.exec(line) ?? []
    if (name === '') throw new BrokenResponse('no header line', Buffer.from(line, 'latin1'))
    const key = name.toLowerCase()
    if (headers.has(key)) throw new BrokenResponse(`two ${key} lines`, bytes)
    headers.set(key, value)
  }
  return { status, headers, framing: framingOf(status, headers, { bytes, isHead }) }
}

function framingOf(
  status: number,
  headers: ReadonlyMap<string, string>,
  { bytes, isHead }: { readonly bytes: Buffer; readonly isHead: boolean },
): Framing {
  const length = headers.get('content-length')
  const coding = headers.get('transfer-encoding')
  if (length !== undefined && coding !== undefined) throw new BrokenResponse('two ways to say how long', bytes)
  if (isHead || status < 200 || status === 204 || status === 304) return { type: 'length', bytes: 0 }
  if (coding === 'chunked') return { type: 'chunked' }
  if (length === undefined) return { type: 'until close' }
  if (!/^\d{1,12}$/.test(length)) throw new BrokenResponse('no length', bytes)
  return { type: 'length', bytes: Number(length) }
}
