import { TextDecoder } from 'node:util'

/** The media type in lower case, without parameters. Empty if missing or invalid. */
export function mediaTypeOf(contentType: string): string {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : ''
}

/** Whether bytes of unknown type are text: they contain no byte that text never has. */
export function looksLikeText(bytes: Buffer): boolean {
  return labelOfMark(bytes) !== undefined || !bytes.subarray(0, 1024).includes(0)
}

/** Decodes bytes by the byte order mark, else by the server's charset, else by the page's charset, else as UTF-8. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const label = labelOfMark(bytes) ?? labelOf(contentType) ?? labelOf(bytes.subarray(0, 1024).toString('latin1'))
  return decoderFor(label).decode(bytes)
}

function labelOfMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined
}

/** The charset in a header or at the beginning of a page: both contain `charset=`. */
function labelOf(text: string): string | undefined {
  return /charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})/i.exec(text)?.[1]
}

function decoderFor(label = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
