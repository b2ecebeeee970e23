import type { AgentFeatures, Blob, Digest, ImagePart, ImageSource, NewBlob } from '@polylogue/engine'
import { parseImageUri } from '@polylogue/kit'
import { WireError, sessionNotFound } from './errors.ts'

/** In one request. */
const MOST_IMAGES = 1_000

/**
 * Converts the image URLs of one request to parts and collects the bytes of `data:` URIs as blobs. Only canonical base64
 * is accepted, so that a history returns exactly the URI that was sent.
 */
export class IncomingImages {
  readonly #allowed: AgentFeatures['images']
  readonly #digest: Digest
  readonly #blobs = new Map<string, NewBlob>()
  #count = 0

  constructor(allowed: AgentFeatures['images'], digest: Digest) {
    this.#allowed = allowed
    this.#digest = digest
  }

  get blobs(): readonly NewBlob[] {
    return [...this.#blobs.values()]
  }

  toPart(url: string, field: string): ImagePart {
    if (/^https:\/\//i.test(url) && URL.canParse(url)) {
      this.#check('http', field)
      return { type: 'image', source: { type: 'url', url } }
    }
    if (!url.startsWith('data:')) throw new WireError(400, `${field}: expected an https: URL or a data: URI`)
    this.#check('data', field)
    this.#count += 1
    if (this.#count > MOST_IMAGES) throw new WireError(400, `${field}: more than ${MOST_IMAGES} images in one request`)
    return { type: 'image', source: this.#keep(url, field) }
  }

  #check(kind: 'http' | 'data', field: string): void {
    if (!this.#allowed.includes(kind)) throw new WireError(400, `${field}: the agent does not take ${kind} images`)
  }

  #keep(uri: string, field: string): ImageSource {
    const image = parseImageUri(uri)
    if (image === undefined) throw new WireError(400, `${field}: expected data:<image type>;base64,<canonical base64>`)
    const { mediaType, bytes } = image
    const hash = this.#digest(bytes)
    if (!this.#blobs.has(hash)) this.#blobs.set(hash, { hash, mediaType, bytes })
    return { type: 'blob', hash, mediaType }
  }
}

export type ReadBlob = (hash: string) => Promise<Blob | undefined>

/** The wire form of an image: its URL, or a `data:` URI of its bytes. */
export type ImageUrls = (source: ImageSource) => string

export async function loadImageUrls(sources: Iterable<ImageSource>, readBlob: ReadBlob): Promise<ImageUrls> {
  const base64 = new Map<string, string>()
  for (const source of sources) {
    if (source.type !== 'blob' || base64.has(source.hash)) continue
    const blob = await readBlob(source.hash)
    // Blobs live exactly as long as their session.
    if (blob === undefined) throw sessionNotFound()
    base64.set(source.hash, Buffer.from(blob.bytes).toString('base64'))
  }
  return (source) =>
    source.type === 'url' ? source.url : `data:${source.mediaType};base64,${base64.get(source.hash) ?? ''}`
}
