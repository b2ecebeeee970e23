export interface LineSplitter {
  /** The lines that this chunk ends, without their ends. Throws when one is longer than allowed. */
  push(chunk: Buffer): readonly string[]
}

const NEW_LINE = 0x0a

/** Cuts a stream into lines of at most `mostBytes`; nothing longer is ever kept. */
export function createLineSplitter(mostBytes: number): LineSplitter {
  let pieces: Buffer[] = []
  let size = 0

  return {
    push(chunk) {
      const lines: string[] = []
      let begin = 0
      for (;;) {
        const end = chunk.indexOf(NEW_LINE, begin)
        const piece = chunk.subarray(begin, end === -1 ? chunk.length : end)
        size += piece.length
        if (size > mostBytes) {
          pieces = []
          throw new Error(`it sent a message larger than ${mostBytes} bytes`)
        }
        pieces.push(piece)
        if (end === -1) return lines
        lines.push(Buffer.concat(pieces).toString('utf8').replace(/\r$/, ''))
        pieces = []
        size = 0
        begin = end + 1
      }
    },
  }
}
