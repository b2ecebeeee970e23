/** The bytes of a file, writable at any offset. Gaps are zero, as in a sparse file. */
export class FileBytes {
  #buffer: Buffer
  #size: number

  constructor(bytes = Buffer.alloc(0)) {
    this.#buffer = bytes
    this.#size = bytes.length
  }

  write(offset: number, piece: Buffer): void {
    const end = offset + piece.length
    this.#grow(end)
    piece.copy(this.#buffer, offset)
    this.#size = Math.max(this.#size, end)
  }

  truncate(size: number): void {
    this.#grow(size)
    // Truncated bytes read as zero when the file grows again.
    this.#buffer.fill(0, Math.min(size, this.#size), this.#size)
    this.#size = size
  }

  copy(): FileBytes {
    return new FileBytes(Buffer.from(this.bytes))
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  #grow(size: number): void {
    if (size <= this.#buffer.length) return
    const larger = Buffer.alloc(Math.max(size, this.#buffer.length * 2))
    this.bytes.copy(larger)
    this.#buffer = larger
  }
}
