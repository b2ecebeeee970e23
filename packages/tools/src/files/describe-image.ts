import { type ImageType, imageTypeOf } from '../image-type.ts'

const WORDS: Readonly<Record<ImageType, string>> = {
  'image/png': 'a PNG image',
  'image/jpeg': 'a JPEG image',
  'image/gif': 'a GIF image',
  'image/webp': 'a WebP image',
}

/** `a PNG image`, by the first bytes of the file; `undefined` for anything else. */
export function describeImage(bytes: Buffer): string | undefined {
  const type = imageTypeOf(bytes)
  return type && WORDS[type]
}
