/** `a PNG image`, by the first bytes of the file; `undefined` for anything else. */
export function describeImage(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'a PNG image'
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'a JPEG image'
  const start = bytes.toString('latin1', 0, 12)
  if (/^GIF8[79]a/.test(start)) return 'a GIF image'
  return /^RIFF....WEBP$/s.test(start) ? 'a WebP image' : undefined
}
