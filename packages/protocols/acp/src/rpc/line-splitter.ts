const NEWLINE = 0x0a

export class FrameTooLong extends Error {}

/** Bytes in any pieces → whole lines. Every byte is looked at once. */
export class LineSplitter {
  readonly #longest: number
  #pieces: Uint8Array[] = []
  #length = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  /** The lines that this piece completes, without their ends and without empty ones. Throws `FrameTooLong`. */
  *push(piece: Uint8Array): Generator<string> {
    let start = 0
    for (;;) {
      if (this.#length === 0) while (piece[start] === NEWLINE) start += 1
      const end = piece.indexOf(NEWLINE, start)
      const rest = piece.subarray(start, end === -1 ? undefined : end)
      this.#keep(rest)
      if (end === -1) return
      start = end + 1
      yield this.#take()
    }
  }

  /** What came after the last newline. */
  rest(): string {
    return this.#take()
  }

  #keep(piece: Uint8Array): void {
    this.#length += piece.length
    if (this.#length > this.#longest) throw new FrameTooLong(`a frame is longer than ${this.#longest} bytes`)
    // A copy: whoever reads for us may use the same buffer again.
    if (piece.length > 0) this.#pieces.push(piece.slice())
  }

  #take(): string {
    const line = Buffer.concat(this.#pieces, this.#length).toString('utf8')
    this.#pieces = []
    this.#length = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
}
