// Turns a server's answer into the engine's output: with limits, and with the part for clients separate from the part for
// the model.
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { Digest, ImagePart, NewBlob, TextPart, ToolOutput } from '@polylogue/engine'
import { dropCarriers } from '../drop-hidden.ts'
import { imageTypeOf } from '../image-type.ts'
import { checkMeta } from '../split-meta.ts'
import { isDeeperThan } from './json-depth.ts'
import { DEEPEST_MESSAGE, LARGEST_IMAGE, LONGEST_TEXT, MOST_IMAGES } from './mcp-limits.ts'

export interface ResultOptions {
  readonly digest: Digest
  /** Called with one line for each part that was left out. */
  readonly warn: (problem: string) => void
}

type Block = CallToolResult['content'][number]

/** What servers and clients tell each other. */
const OF_THE_PROTOCOL = 'io.modelcontextprotocol/'
const TEXT_CUT = '\n[The rest was cut off.]'

/** Throws if the answer is nested too deeply. */
export function toOutput(result: CallToolResult, { digest, warn }: ResultOptions): ToolOutput {
  if (isDeeperThan(result, DEEPEST_MESSAGE)) throw new Error(`the answer is nested more than ${DEEPEST_MESSAGE} deep`)
  const { parts, blobs } = toParts(result, digest)
  const { structuredContent } = result
  const said = Object.entries(result._meta ?? {}).filter(([key]) => !key.startsWith(OF_THE_PROTOCOL))
  const { meta, dropped } = checkMeta({
    ...Object.fromEntries(said),
    ...(structuredContent === undefined ? {} : { structuredContent }),
  })
  for (const problem of dropped) warn(problem)
  return {
    content: parts.every(isText) ? parts.map(({ text }) => text).join('\n') : parts,
    ...(result.isError === true ? { isError: true } : {}),
    ...(meta === undefined ? {} : { meta }),
    ...(blobs.length === 0 ? {} : { blobs }),
  }
}

const isText = (part: TextPart | ImagePart): part is TextPart => part.type === 'text'

interface ResultParts {
  readonly parts: readonly (TextPart | ImagePart)[]
  readonly blobs: readonly NewBlob[]
}

function toParts(result: CallToolResult, digest: Digest): ResultParts {
  const parts: (TextPart | ImagePart)[] = []
  const blobs = new Map<string, NewBlob>()
  let room = LONGEST_TEXT
  let images = 0
  const say = (text: string): void => {
    if (room <= 0) return
    const shown = text.length <= room ? text : text.slice(0, room) + TEXT_CUT
    parts.push({ type: 'text', text: dropCarriers(shown) })
    room -= text.length
  }
  for (const block of result.content) {
    const image = images < MOST_IMAGES ? readImage(block) : undefined
    if (image === undefined) {
      say(describeBlock(block))
      continue
    }
    images += 1
    const { mediaType } = image
    const hash = digest(image.bytes)
    blobs.set(hash, { hash, ...image })
    parts.push({ type: 'image', source: { type: 'blob', hash, mediaType } })
  }
  const hasText = result.content.some(({ type }) => type === 'text')
  if (!hasText && result.structuredContent !== undefined) say(JSON.stringify(result.structuredContent))
  return { parts, blobs: [...blobs.values()] }
}

/** `undefined` if it is not an image, too large, or of a type that models do not read. */
function readImage(block: Block): Omit<NewBlob, 'hash'> | undefined {
  const data = imageDataOf(block)
  if (data === undefined || data.length > (LARGEST_IMAGE * 4) / 3 + 4) return undefined
  const bytes = Buffer.from(data, 'base64')
  const mediaType = imageTypeOf(bytes)
  return mediaType === undefined || bytes.length > LARGEST_IMAGE ? undefined : { bytes, mediaType }
}

function imageDataOf(block: Block): string | undefined {
  if (block.type === 'image') return block.data
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined
  return block.resource.mimeType?.startsWith('image/') === true ? block.resource.blob : undefined
}

function describeBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} of type ${brief(block.mimeType)}, about ${Math.round((block.data.length * 3) / 4)} bytes, not shown]`
    case 'resource_link':
      return `[resource ${brief(block.title ?? block.name)}: ${brief(block.uri)}]${block.description === undefined ? '' : ` ${brief(block.description)}`}`
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return resource.text
      return `[resource ${brief(resource.uri)}, about ${Math.round((resource.blob.length * 3) / 4)} bytes, not shown]`
    }
  }
}

const LONGEST_BRIEF = 2048
const brief = (text: string): string => (text.length <= LONGEST_BRIEF ? text : `${text.slice(0, LONGEST_BRIEF - 1)}…`)
