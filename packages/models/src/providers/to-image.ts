import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider'
import type { ImagePart, ModelRequest } from '@polylogue/engine'
import type { Traits } from './traits.ts'

const TYPES: { readonly [ending: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
}

export interface ImageTarget {
  readonly withImages: boolean
  readonly links: Traits['imageLinks']
  readonly readBlob: ModelRequest['readBlob']
}

/** An image part, or a text that says why the image was left out. */
export async function toImage(
  { source }: ImagePart,
  { withImages, links, readBlob }: ImageTarget,
): Promise<LanguageModelV4FilePart | LanguageModelV4TextPart> {
  if (!withImages) return leftOut('this model does not see images')
  if (source.type === 'url') {
    const url = URL.parse(source.url)
    const mediaType = url && linkedType(url, links)
    return mediaType
      ? { type: 'file', mediaType, data: { type: 'url', url } }
      : leftOut('this model does not follow such links')
  }
  try {
    return { type: 'file', mediaType: source.mediaType, data: { type: 'data', data: await readBlob(source.hash) } }
  } catch {
    return leftOut('it could not be read')
  }
}

function linkedType({ protocol, pathname }: URL, links: Traits['imageLinks']): string | undefined {
  if (protocol !== 'https:' || links === 'none') return undefined
  const ending = /\.(\w+)$/.exec(pathname)?.[1]?.toLowerCase()
  const known = ending !== undefined && Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined
  return known ?? (links === 'any' ? 'image' : undefined)
}

function leftOut(reason: string): LanguageModelV4TextPart {
  return { type: 'text', text: `[An image was left out: ${reason}.]` }
}
