import type { ToolCallContent } from '@agentclientprotocol/sdk'
import type { FileDiff, ToolContent } from '@polylogue/engine'

export const textContent = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } })

export const diffContent = ({ path, oldText, newText }: FileDiff): ToolCallContent => ({
  type: 'diff',
  path,
  oldText: oldText ?? null,
  newText,
})

/** Returns the bytes of an image in base64 by their hash. `undefined`: not loaded. */
export type ImageBytes = (hash: string) => string | undefined

/** An image that is not loaded becomes a line of text. */
export function outputContent(output: ToolContent, imageBytes: ImageBytes): ToolCallContent[] {
  if (typeof output === 'string') return output === '' ? [] : [textContent(output)]
  return output.map((part) => {
    if (part.type === 'text') return textContent(part.text)
    if (part.source.type === 'url') return textContent(`[image: ${part.source.url}]`)
    const { hash, mediaType } = part.source
    const data = imageBytes(hash)
    if (data === undefined) return textContent(`[image: ${mediaType}]`)
    return { type: 'content', content: { type: 'image', data, mimeType: mediaType } }
  })
}
