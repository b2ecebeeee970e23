import { TextDecoder } from 'node:util'

/** The media type in lower case, without parameters. Empty when there is none, or words that are none. */
export function mediaTypeOf(contentType: string): string {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : ''
}

/** Whether bytes of no known type are text: by the absence of a byte that text does not have. */
export function looksLikeText(bytes: Buffer): boolean {
  return labelOfMark(bytes) !== undefined || !bytes.subarray(0, 1024).includes(0)
}

/** Bytes as text: by the mark at their beginning, else as the server says, else as an HTML page says, else UTF-8. */
export function decodeText(bytes: Buffer, contentType: string): string {
  const label = labelOfMark(bytes) ?? labelOf(contentType) ?? labelOf(bytes.subarray(0, 1024).toString('latin1'))
  return decoderFor(label).decode(bytes)
}

/**
 * With line feeds for line ends, without other control characters, and without the invisible copies of ASCII in U+E0000 to U+E007F: nobody who looks at
 * the page sees those, only a model does.
 */
export function toPlainText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|[\u{E0000}-\u{E007F}]/gu, '')
}

function labelOfMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined
}

/** Of a header or of the beginning of a page: both write `charset=`. */
function labelOf(text: string): string | undefined {
  return /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(text)?.[1]
}

function decoderFor(label = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
