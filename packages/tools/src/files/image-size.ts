import type { ImageType } from '../image-type.ts'

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Reads width and height from the header of an image. `undefined`: the image is damaged or cut off. A provider refuses
 * the whole conversation because of one such image.
 */
export function readImageSize(bytes: Buffer, type: ImageType): ImageSize | undefined {
  const size = READERS[type](bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

const READERS: { readonly [type in ImageType]: (bytes: Buffer) => ImageSize | undefined } = {
  'image/png': (bytes) => {
    const isWhole = bytes.length >= 57 && bytes.toString('latin1', 12, 16) === 'IHDR' && bytes.includes('IEND')
    return isWhole ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined
  },
  'image/gif': (bytes) => {
    const isWhole = bytes.length >= 26 && bytes.includes(0x3b, bytes.length - 16)
    return isWhole ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined
  },
  'image/webp': (bytes) => {
    if (bytes.length < 30 || bytes.readUInt32LE(4) > bytes.length - 8) return undefined
    switch (bytes.toString('latin1', 12, 16)) {
      case 'VP8 ':
        return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
      case 'VP8L': {
        const packed = bytes.readUInt32LE(21)
        return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 }
      }
      case 'VP8X':
        return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
      default:
        return undefined
    }
  },
  'image/jpeg': readJpegSize,
}

/** Walks the segments up to the one that starts a frame: `FF C0` to `FF CF`, without tables and extensions. */
function readJpegSize(bytes: Buffer): ImageSize | undefined {
  if (!bytes.includes(Buffer.from('ffd9', 'hex'), Math.max(0, bytes.length - 64))) return undefined
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
