import type { UserContent } from '@polylogue/engine'
import type { Attachment, ContentBlock } from '../wire.ts'

/** Only a name as files get when they are kept: a user may well write something like it. */
const FILE_NOTE = /^Attached file: (uploads\/(?!\.)[^/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,128})$/u

/** How the model is told of a file that a user sent along and that was put into the workspace. */
export const fileNote = (path: string): string => `Attached file: ${path}`

export interface SaidByUser {
  readonly blocks: readonly ContentBlock[]
  readonly attachments?: readonly Attachment[]
}

/** Text becomes blocks; images and files are listed beside them. */
export function toUserBlocks(content: UserContent): SaidByUser {
  if (typeof content === 'string') return { blocks: [textBlock(content)] }
  const blocks: ContentBlock[] = []
  const attachments: Attachment[] = []
  for (const part of content) {
    if (part.type === 'image') {
      const url = part.source.type === 'url' ? part.source.url : null
      attachments.push({ type: 'image', name: null, path: null, url })
      continue
    }
    const path = FILE_NOTE.exec(part.text)?.[1]
    if (path === undefined) blocks.push(textBlock(part.text))
    else attachments.push({ type: 'file', name: path.split('/').at(-1) ?? path, path, url: null })
  }
  return attachments.length === 0 ? { blocks } : { blocks, attachments }
}

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
