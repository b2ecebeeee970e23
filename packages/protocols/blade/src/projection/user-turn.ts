import type { UserContent } from '@polylogue/engine'
import type { Attachment, ContentBlock } from '../wire.ts'
import { fileAddress, imageAddress } from './addresses.ts'

const NOTE = 'Attached file: '
const SENT_FILE = /^uploads\/(?!\.)[^/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,128}$/u

/** Whether a workspace path is that of an uploaded file. */
export const isSentFile = (path: string): boolean => SENT_FILE.test(path)

/** The text that tells the model about an uploaded file. */
export const fileNote = (path: string): string => NOTE + path

export interface SaidByUser {
  readonly blocks: readonly ContentBlock[]
  readonly attachments?: readonly Attachment[]
}

/**
 * Text becomes blocks; images and files become attachments. A message with attachments only gets a text block that names
 * them, because clients show only blocks.
 */
export function toUserBlocks(content: UserContent, sessionId: string): SaidByUser {
  if (typeof content === 'string') return { blocks: [textBlock(content)] }
  const blocks: ContentBlock[] = []
  const attachments: Attachment[] = []
  for (const part of content) {
    if (part.type === 'image') {
      const { source } = part
      const url = source.type === 'url' ? source.url : imageAddress(sessionId, source.hash)
      attachments.push({ type: 'image', name: null, path: null, url })
      continue
    }
    const path = filePathIn(part.text)
    if (path === undefined) blocks.push(textBlock(part.text))
    else attachments.push({ type: 'file', name: nameOf(path), path, url: fileAddress(sessionId, path) })
  }
  if (attachments.length === 0) return { blocks }
  if (blocks.length > 0) return { blocks, attachments }
  const names = attachments.map(({ type, name }) => (name === null ? `[${type}]` : `[${type}: ${name}]`))
  return { blocks: [textBlock(names.join(' '))], attachments }
}

function filePathIn(text: string): string | undefined {
  const path = text.startsWith(NOTE) ? text.slice(NOTE.length) : ''
  return isSentFile(path) ? path : undefined
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const textBlock = (content: string, type: 'text' | 'thinking' = 'text'): ContentBlock => ({
  type,
  content,
  tool_call_id: null,
  tool_name: null,
  display_name: null,
})

export const plainBlock = (type: ContentBlock['type'], content: ContentBlock['content']): ContentBlock => ({
  type,
  content,
  tool_call_id: null,
  tool_name: null,
  display_name: null,
})
