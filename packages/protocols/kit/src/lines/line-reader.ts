const LINE_END = 0x0a
const CARRIAGE_RETURN = 0x0d

export class LineTooLong extends Error {}

/** Cuts a stream of bytes into lines. Every byte is looked at once. */
export class LineReader {
  readonly #maxBytes: number
  #pieces: Uint8Array[] = []
  #pendingBytes = 0

  /** `maxBytes` limits one line without its end. */
  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes
  }

  /** Bytes of the line that has begun. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** The lines that this chunk completes, each with its line end. Throws `LineTooLong`. */
  *push(chunk: Uint8Array): Generator<Uint8Array, void> {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(LINE_END, start)
      const piece = chunk.subarray(start, end === -1 ? undefined : end + 1)
      this.#check(this.#pendingBytes + piece.length - (end === -1 ? 0 : 1))
      if (end === -1) return this.#keep(piece)
      start = end + 1
      yield this.#take(piece)
    }
  }

  /** What came after the last line end; `undefined` if nothing did. */
  end(): Uint8Array | undefined {
    return this.#pendingBytes === 0 ? undefined : this.#take(new Uint8Array(0))
  }

  #check(length: number): void {
    if (length <= this.#maxBytes) return
    this.#pieces = []
    this.#pendingBytes = 0
    throw new LineTooLong(`a line is longer than ${this.#maxBytes} bytes`)
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return
    // A copy (`Buffer.slice` makes none): the source may reuse its buffer.
    this.#pieces.push(Buffer.from(piece))
    this.#pendingBytes += piece.length
  }

  #take(last: Uint8Array): Uint8Array {
    if (this.#pendingBytes === 0) return last
    const line = Buffer.concat([...this.#pieces, last])
    this.#pieces = []
    this.#pendingBytes = 0
    return line
  }
}

/** A line as text, without `\n` or `\r\n`. */
export function lineText(line: Uint8Array): string {
  let end = line.length
  if (line[end - 1] === LINE_END) end -= 1
  if (line[end - 1] === CARRIAGE_RETURN) end -= 1
  return Buffer.from(line.buffer, line.byteOffset, end).toString('utf8')
}
