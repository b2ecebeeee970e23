const DATA_URI = /^data:(image\/[A-Za-z0-9][A-Za-z0-9.+-]{0,63});base64,/
const IMAGE_TYPE = /^image\/[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/

export interface ImageBytes {
  readonly mediaType: string
  readonly bytes: Buffer
}

export const isImageType = (mediaType: string): boolean => IMAGE_TYPE.test(mediaType)

/** `undefined` unless it is `data:<image type>;base64,<canonical base64>`. */
export function parseImageUri(uri: string): ImageBytes | undefined {
  const [prefix, mediaType] = DATA_URI.exec(uri) ?? []
  if (prefix === undefined || mediaType === undefined) return undefined
  const bytes = parseBase64(uri.slice(prefix.length))
  return bytes && { mediaType, bytes }
}

/**
 * `undefined` for text that is empty or not canonical base64. Only the canonical form is taken, so that encoding the
 * bytes again gives the very same text.
 */
export function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined
}
