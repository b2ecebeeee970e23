export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/**
 * The media type by the first bytes, if models can read it. A declared type is ignored: a provider that receives
 * something else refuses the whole conversation and all later ones.
 */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'image/png'
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'image/jpeg'
  const start = bytes.toString('latin1', 0, 12)
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  return /^RIFF....WEBP$/s.test(start) ? 'image/webp' : undefined
}
