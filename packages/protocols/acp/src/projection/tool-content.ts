import type { ToolCallContent } from '@agentclientprotocol/sdk'
import type { FileDiff, ToolContent } from '@polylogue/engine'

export const textContent = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } })

export const diffContent = ({ path, oldText, newText }: FileDiff): ToolCallContent => ({
  type: 'diff',
  path,
  oldText: oldText ?? null,
  newText,
})

/** Images are named, not sent: their bytes are in the store, and what is projected waits for nothing. */
export function outputContent(output: ToolContent): ToolCallContent[] {
  if (typeof output === 'string') return output === '' ? [] : [textContent(output)]
  return output.map((part) => {
    if (part.type === 'text') return textContent(part.text)
    return textContent(part.source.type === 'url' ? `[image: ${part.source.url}]` : `[image: ${part.source.mediaType}]`)
  })
}
