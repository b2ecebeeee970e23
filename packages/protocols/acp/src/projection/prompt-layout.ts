import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk'
import type { JsonObject, UserContent } from '@polylogue/engine'
import { z } from 'zod'
import type { ImageBytes } from './tool-content.ts'
import { withoutReminders } from './user-text.ts'

/**
 * A prompt is recorded as the model reads it: texts joined by a blank line, and images. The layout says which blocks of the
 * client it was made of, so that a replay sends the same blocks. It holds no content: a text block has the length of its
 * part of the recorded text.
 */
export const LAYOUT = 'acp/blocks'

const laidBlock = z.object({
  type: z.enum(['text', 'image', 'resource', 'resource_link']),
  length: z.number().int().min(0).optional(),
  uri: z.string().optional(),
  name: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  size: z.number().optional(),
  /** What the client sent, where the model reads another text: a command. */
  text: z.string().optional(),
})
const layout = z.object({ [LAYOUT]: z.array(laidBlock) })

export type LaidBlock = z.output<typeof laidBlock>
export type PromptLayout = JsonObject

const opening = (uri: string): string => `<resource uri=${JSON.stringify(uri)}>\n`
const CLOSING = '\n</resource>'
const BETWEEN = '\n\n'

/** Escapes the URI so that it cannot close the tag. The text is not changed. */
export const quoteResource = (uri: string, content: string): string => `${opening(uri)}${content}${CLOSING}`

/** The blocks of a user's message as a replay sends them. Input of other doors has no layout. */
export function toUserChunks(
  messageId: string,
  input: { readonly content: UserContent; readonly given?: JsonObject },
  imageBytes: ImageBytes,
): SessionUpdate[] {
  const parts =
    typeof input.content === 'string' ? [{ type: 'text', text: input.content } as const] : [...input.content]
  const laid = layout.safeParse(input.given)
  const blocks = laid.success
    ? restore(laid.data[LAYOUT], parts, imageBytes)
    : parts.map((part) => plain(part, imageBytes))
  return blocks.flatMap((content) =>
    content === undefined ? [] : [{ sessionUpdate: 'user_message_chunk' as const, messageId, content }],
  )
}

type Part = Exclude<UserContent, string>[number]

function restore(
  blocks: readonly LaidBlock[],
  parts: readonly Part[],
  imageBytes: ImageBytes,
): (ContentBlock | undefined)[] {
  let index = 0
  let at = 0
  return blocks.map((block) => {
    const part = parts[index]
    if (part === undefined) return undefined
    if (block.length === undefined || part.type !== 'text') {
      index += 1
      at = 0
      return part.type === 'image' ? asImage(block, part, imageBytes) : plain(part, imageBytes)
    }
    const text = part.text.slice(at, at + block.length)
    at += block.length + BETWEEN.length
    if (at > part.text.length) {
      index += 1
      at = 0
    }
    return asBlock(block, text)
  })
}

function asBlock(block: LaidBlock, text: string): ContentBlock | undefined {
  const { type, uri = '', mimeType } = block
  if (type === 'resource_link') {
    const { length: _length, ...link } = block
    return { ...link, type, uri, name: block.name ?? uri }
  }
  if (type !== 'resource') return asText(block.text ?? text)
  const inner = text.slice(opening(uri).length, -CLOSING.length)
  return { type, resource: { uri, text: inner, ...(mimeType !== undefined && { mimeType }) } }
}

function asImage(
  { type, uri }: LaidBlock,
  part: Part & { type: 'image' },
  imageBytes: ImageBytes,
): ContentBlock | undefined {
  const shown = plain(part, imageBytes)
  if (shown?.type !== 'image') return shown
  if (type !== 'resource' || uri === undefined) return { ...shown, ...(uri !== undefined && { uri }) }
  return { type, resource: { uri, blob: shown.data, mimeType: shown.mimeType } }
}

function plain(part: Part, imageBytes: ImageBytes): ContentBlock | undefined {
  if (part.type === 'text') return asText(part.text)
  const { source } = part
  if (source.type === 'url') return { type: 'text', text: `[image: ${source.url}]` }
  const data = imageBytes(source.hash)
  if (data === undefined) return { type: 'text', text: `[image: ${source.mediaType}]` }
  return { type: 'image', data, mimeType: source.mediaType }
}

function asText(given: string): ContentBlock | undefined {
  const text = withoutReminders(given)
  return text === '' ? undefined : { type: 'text', text }
}
