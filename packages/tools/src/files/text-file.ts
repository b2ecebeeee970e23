import { isUtf8 } from 'node:buffer'

/** The text of a file with what is needed to write it back unchanged. */
export interface FileText {
  /** Without the byte order mark. */
  readonly text: string
  readonly hasByteOrderMark: boolean
  /** Every line ends in CR LF. */
  readonly usesCrLf: boolean
  /** Not UTF-8: some characters are replaced, so it must not be written back. */
  readonly isDamaged: boolean
}

const MARK = '\uFEFF'
/** How far to search for a NUL byte, which marks a binary file. Git searches as far. */
const PROBE = 8000

/** `undefined` if the bytes are not text. */
export function decodeText(bytes: Buffer): FileText | undefined {
  if (bytes.subarray(0, PROBE).includes(0)) return undefined
  return { ...toFileText(bytes.toString('utf8')), isDamaged: !isUtf8(bytes) }
}

export function toFileText(whole: string): FileText {
  const hasByteOrderMark = whole.startsWith(MARK)
  const text = hasByteOrderMark ? whole.slice(MARK.length) : whole
  return { text, hasByteOrderMark, usesCrLf: usesCrLf(text), isDamaged: false }
}

export function encodeText(text: string, { hasByteOrderMark }: Pick<FileText, 'hasByteOrderMark'>): Buffer {
  return Buffer.from(hasByteOrderMark ? MARK + text : text)
}

/** The first bytes of a file may end inside a character. Returns the whole characters. */
export function cutAtCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return isUtf8(bytes.subarray(-back)) ? bytes : bytes.subarray(0, -back)
  }
  return bytes
}

function usesCrLf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text)
}
