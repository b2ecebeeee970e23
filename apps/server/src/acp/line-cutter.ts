const LINE_END = 0x0a

/** Cuts bytes into lines. What it gives is complete, with its line end; the beginning of the next line is kept. */
export interface LineCutter {
  push(chunk: Uint8Array): readonly Uint8Array[]
  /** The line that never ended, if one had begun. */
  end(): Uint8Array | undefined
  /** Of the line that has begun. */
  readonly pendingBytes: number
}

export function createLineCutter(): LineCutter {
  let parts: Uint8Array[] = []
  let pendingBytes = 0
  const take = (): Uint8Array => {
    const [only] = parts
    const line = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)
    parts = []
    pendingBytes = 0
    return line
  }
  return {
    push(chunk) {
      const lines: Uint8Array[] = []
      let start = 0
      for (;;) {
        const end = chunk.indexOf(LINE_END, start)
        if (end === -1) break
        parts.push(chunk.subarray(start, end + 1))
        lines.push(take())
        start = end + 1
      }
      if (start < chunk.length) {
        parts.push(chunk.subarray(start))
        pendingBytes += chunk.length - start
      }
      return lines
    },
    end: () => (parts.length === 0 ? undefined : take()),
    get pendingBytes() {
      return pendingBytes
    },
  }
}
