import { type IncomingMessage } from 'node:http'
import { pipeline, type Duplex, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

/**
 * The whole decompressed body. Rejects with a sentence if it exceeds `limit` bytes, compressed or decompressed. It stops
 * there, so a compression bomb has no effect.
 */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const tooLarge = (): Error => new Error(`The page is larger than ${limit / 1024 / 1024} MiB.`)
  if (Number(response.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of unpacked(response, limit, tooLarge)) {
    if (!(chunk instanceof Buffer)) continue
    size += chunk.length
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

function unpacked(response: IncomingMessage, limit: number, tooLarge: () => Error): Readable {
  const decoder = decoderFor(response.headers['content-encoding'])
  if (decoder === undefined) return response
  // Count compressed bytes too: they may never end and decompress to nothing.
  const counted = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0
    for await (const chunk of source) {
      size += chunk.length
      if (size > limit) throw tooLarge()
      yield chunk
    }
  }
  // The reader of the decoder gets the error.
  return pipeline(response, counted, decoder, () => {})
}

/** Only one encoding: several would multiply the compression. */
function decoderFor(encoding: string | undefined): Duplex | undefined {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new Error('The page is packed in a way that was not asked for.')
  }
}
