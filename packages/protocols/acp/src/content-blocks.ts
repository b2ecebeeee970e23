import type { Digest, ImagePart, NewBlob, TextPart, UserContent } from '@polylogue/engine'
import { z } from 'zod'
import type { AcpProfile } from './deps.ts'
import { parseParams } from './parse-params.ts'
import { LAYOUT, quoteResource, type LaidBlock, type PromptLayout } from './projection/prompt-layout.ts'
import { invalidParams } from './rpc/rpc-error.ts'

const LARGEST_IMAGE = 20 * 1024 * 1024
const MOST_IMAGES = 16
const IMAGE_TYPE = /^image\/[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/

const notEmpty = z.string().min(1, 'must not be empty')
const blocks = z.array(z.unknown()).min(1, 'must not be empty')
const typed = z.object({ type: z.string() })
const text = z.object({ text: z.string() })
const link = z.object({
  uri: notEmpty,
  name: z.string().nullish(),
  title: z.string().nullish(),
  description: z.string().nullish().catch(undefined),
  mimeType: z.string().nullish().catch(undefined),
  size: z.number().nullish().catch(undefined),
})
const image = z.object({ data: z.string(), mimeType: z.string(), uri: z.string().nullish().catch(undefined) })
const resource = z.object({
  resource: z.union([
    z.object({ uri: notEmpty, text: z.string(), mimeType: z.string().nullish().catch(undefined) }),
    z.object({ uri: notEmpty, blob: z.string(), mimeType: z.string().nullish() }),
  ]),
})

/** A parsed prompt. A prompt with text only becomes a string. */
export interface PromptContent {
  readonly content: UserContent
  readonly blobs: readonly NewBlob[]
  /** Absent for a prompt of one text block. */
  readonly given?: PromptLayout
  /** What the user typed, with the names of files instead of their text. Present with `given`. */
  readonly typed?: string
}

/** What the model reads of a block, and what the block was. */
interface ReadBlock {
  readonly part: TextPart | ImagePart
  readonly block: LaidBlock
}

export interface PromptTerms {
  readonly profile: AcpProfile
  readonly digest: Digest
}

export function parsePrompt(prompt: unknown, terms: PromptTerms): PromptContent {
  const reader = new BlockReader(terms)
  const read = parseParams(blocks, prompt, 'prompt').map((block, index) => reader.read(block, `prompt[${index}]`))
  const content = joinTexts(read.map(({ part }) => part))
  const isPlain = read.length === 1 && read[0]?.block.type === 'text'
  if (terms.profile === 'seed' || isPlain) return { content, blobs: reader.blobs }
  const given = { [LAYOUT]: read.map(({ block }) => block) }
  return { content, blobs: reader.blobs, given, typed: read.map(nameOf).join(' ') }
}

function nameOf({ part, block: { type, title, name, uri = '' } }: ReadBlock): string {
  if (type === 'text') return part.type === 'text' ? part.text : ''
  return title ?? name ?? uri.slice(uri.lastIndexOf('/') + 1)
}

/** Joins text blocks with a blank line. */
function joinTexts(parts: readonly (TextPart | ImagePart)[]): UserContent {
  const joined: (TextPart | ImagePart)[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { type: 'text', text: `${last.text}\n\n${part.text}` }
    else joined.push(part)
  }
  const [only] = joined
  return joined.length === 1 && only?.type === 'text' ? only.text : joined
}

class BlockReader {
  readonly #terms: PromptTerms
  readonly #blobs = new Map<string, NewBlob>()
  #images = 0

  constructor(terms: PromptTerms) {
    this.#terms = terms
  }

  get blobs(): readonly NewBlob[] {
    return [...this.#blobs.values()]
  }

  read(block: unknown, field: string): ReadBlock {
    const { type } = parseParams(typed, block, field)
    switch (type) {
      case 'text':
        return asText(parseParams(text, block, field).text, { type: 'text' })
      case 'resource_link': {
        const given = parseParams(link, block, field)
        return asText(describeLink(given), laidLink(given))
      }
      case 'image':
        this.#requireStandard(type, field)
        return this.#image(parseParams(image, block, field), field)
      case 'resource':
        this.#requireStandard(type, field)
        return this.#resource(parseParams(resource, block, field).resource, `${field}.resource`)
      default:
        throw invalidParams(`${field}.type`, 'this kind of content is not supported')
    }
  }

  #requireStandard(type: string, field: string): void {
    if (this.#terms.profile === 'seed') throw invalidParams(`${field}.type`, `${type} is not supported`)
  }

  #image({ data, mimeType, uri }: z.output<typeof image>, field: string): ReadBlock {
    if (!IMAGE_TYPE.test(mimeType)) throw invalidParams(`${field}.mimeType`, 'must be an image type')
    this.#images += 1
    if (this.#images > MOST_IMAGES) throw invalidParams(field, `at most ${MOST_IMAGES} images in one prompt`)
    if (data.length > Math.ceil(LARGEST_IMAGE / 3) * 4) throw invalidParams(`${field}.data`, 'larger than 20 MiB')
    const bytes = decodeBase64(data, `${field}.data`)
    if (bytes.length > LARGEST_IMAGE) throw invalidParams(`${field}.data`, 'larger than 20 MiB')
    const hash = this.#terms.digest(bytes)
    this.#blobs.set(hash, { hash, mediaType: mimeType, bytes })
    const part: ImagePart = { type: 'image', source: { type: 'blob', hash, mediaType: mimeType } }
    return { part, block: { type: 'image', ...(typeof uri === 'string' && { uri }) } }
  }

  #resource(given: z.output<typeof resource>['resource'], field: string): ReadBlock {
    const { uri } = given
    const block: LaidBlock = { type: 'resource', uri, ...(given.mimeType && { mimeType: given.mimeType }) }
    if ('text' in given) return asText(quoteResource(uri, given.text), block)
    const mimeType = given.mimeType ?? 'application/octet-stream'
    if (mimeType.startsWith('image/')) {
      return { ...this.#image({ data: given.blob, mimeType, uri: undefined }, field), block }
    }
    const bytes = decodeBase64(given.blob, `${field}.blob`)
    if (!/^text\/|^application\/(?:json|xml|javascript)$/.test(mimeType)) {
      // The bytes are not kept, so only the name can be shown again.
      return asText(`[${uri}: ${mimeType.slice(0, 100)}, not shown]`, {
        type: 'resource_link',
        uri,
        name: uri,
        mimeType,
      })
    }
    return asText(quoteResource(uri, bytes.toString('utf8')), block)
  }
}

const asText = (text: string, block: LaidBlock): ReadBlock => ({
  part: { type: 'text', text },
  block: { ...block, length: text.length },
})

const laidLink = ({ uri, name, title, description, mimeType, size }: z.output<typeof link>): LaidBlock => ({
  type: 'resource_link',
  uri,
  ...(name && { name }),
  ...(title && { title }),
  ...(description && { description }),
  ...(mimeType && { mimeType }),
  ...(typeof size === 'number' && { size }),
})

/** Some clients leave out the padding. */
function decodeBase64(text: string, field: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  const isSame = bytes.toString('base64').replace(/(?<!=)=+$/, '') === text.replace(/={0,2}$/, '')
  if (bytes.length === 0 || !isSame) throw invalidParams(field, 'must be base64')
  return bytes
}

const describeLink = ({ uri, name, title }: z.output<typeof link>): string => {
  const label = title || name || uri
  return label === uri ? `[${uri}]` : `[${label}](${uri})`
}
