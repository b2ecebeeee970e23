const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b

/** Counts what parsing a JSON text would create, before it is parsed: the text comes in pieces. A key counts as two. */
export class ValueCount {
  #isString = false
  #isEscaped = false
  #values = 0

  get values(): number {
    return this.#values
  }

  push(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === QUOTE) this.#isString = !this.#isString
    else if (this.#isString) this.#isEscaped = byte === BACKSLASH
    else if (byte === COMMA || byte === COLON || byte === OPEN_LIST || byte === OPEN_OBJECT) this.#values += 1
  }

  /** No string of JSON has a line break. */
  endLine(): void {
    this.#isString = this.#isEscaped = false
  }

  restart(): void {
    this.endLine()
    this.#values = 0
  }
}
