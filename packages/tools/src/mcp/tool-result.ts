// What a server answered, as what the engine records: bounded, and with what is for clients apart from what the model
// reads.
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ImagePart, TextPart, ToolOutput } from '@polylogue/engine'
import { checkMeta } from '../split-meta.ts'
import { isDeeperThan } from './json-depth.ts'
import { DEEPEST_MESSAGE, LARGEST_IMAGE, LONGEST_TEXT, MOST_IMAGES } from './mcp-limits.ts'

export interface KeptImage {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

export interface ResultOptions {
  /** Keeps the bytes of an image as a blob of the session, and tells its hash. Absent: images become a remark. */
  readonly keepImage?: (image: KeptImage) => Promise<string>
  /** Hears, in one line, of what was left out. */
  readonly warn: (problem: string) => void
}

type Block = CallToolResult['content'][number]

const MEDIA_TYPE = /^image\/(?:png|jpeg|gif|webp)$/
/** What servers and clients tell each other. */
const OF_THE_PROTOCOL = 'io.modelcontextprotocol/'
const TEXT_CUT = '\n[The rest was cut off.]'

export async function toOutput(result: CallToolResult, options: ResultOptions): Promise<ToolOutput> {
  if (isDeeperThan(result, DEEPEST_MESSAGE)) throw new Error(`the answer is nested more than ${DEEPEST_MESSAGE} deep`)
  const parts = await toParts(result, options)
  const said = Object.entries(result._meta ?? {}).filter(([key]) => !key.startsWith(OF_THE_PROTOCOL))
  const { meta, dropped } = checkMeta(Object.fromEntries(said))
  for (const problem of dropped) options.warn(problem)
  return {
    content: parts.every(isText) ? parts.map(({ text }) => text).join('\n') : parts,
    ...(result.isError === true ? { isError: true } : {}),
    ...(meta === undefined ? {} : { meta }),
  }
}

const isText = (part: TextPart | ImagePart): part is TextPart => part.type === 'text'

async function toParts(
  result: CallToolResult,
  { keepImage }: ResultOptions,
): Promise<readonly (TextPart | ImagePart)[]> {
  const parts: (TextPart | ImagePart)[] = []
  let room = LONGEST_TEXT
  let images = 0
  const say = (text: string): void => {
    if (room <= 0) return
    parts.push({ type: 'text', text: text.length <= room ? text : text.slice(0, room) + TEXT_CUT })
    room -= text.length
  }
  for (const block of result.content) {
    const image = block.type === 'image' ? readImage(block) : undefined
    if (image === undefined || keepImage === undefined || images === MOST_IMAGES) {
      say(describeBlock(block))
      continue
    }
    images += 1
    const hash = await keepImage(image)
    parts.push({ type: 'image', source: { type: 'blob', hash, mediaType: image.mediaType } })
  }
  const hasText = result.content.some(({ type }) => type === 'text')
  if (!hasText && result.structuredContent !== undefined) say(JSON.stringify(result.structuredContent))
  return parts
}

/** `undefined` for one that is too large or of no type that models read. */
function readImage({ data, mimeType }: Extract<Block, { type: 'image' }>): KeptImage | undefined {
  if (!MEDIA_TYPE.test(mimeType) || data.length > (LARGEST_IMAGE * 4) / 3 + 4) return undefined
  const bytes = Buffer.from(data, 'base64')
  return bytes.length === 0 || bytes.length > LARGEST_IMAGE ? undefined : { bytes, mediaType: mimeType }
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
