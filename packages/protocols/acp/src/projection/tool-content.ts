import type { ToolCallContent } from '@agentclientprotocol/sdk'
import type { FileDiff, ToolContent } from '@polylogue/engine'

export const textContent = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } })

/** Text as it is. The fence is longer than any run of backticks in the text, so the text cannot close it. */
export function codeBlock(text: string): ToolCallContent {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return textContent(`${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`)
}

/** One line that looks the same as Markdown. */
const PLAIN = /^(?!\d+[.)])[\p{L}\p{N}(][\p{L}\p{N} .,:;!?'"/()@=%-]*$/u

/** Editors show the text of a call as Markdown, which joins lines and drops characters. Files and output must stay as they are. */
export const verbatimContent = (text: string): ToolCallContent =>
  PLAIN.test(text.trimEnd()) ? textContent(text) : codeBlock(text)

export const diffContent = ({ path, oldText, newText }: FileDiff): ToolCallContent => ({
  type: 'diff',
  path,
  oldText: oldText ?? null,
  newText,
})

/** Returns the bytes of an image in base64 by their hash. `undefined`: not loaded. */
export type ImageBytes = (hash: string) => string | undefined

export interface OutputOptions {
  readonly imageBytes: ImageBytes
  toContent(text: string): ToolCallContent
}

/** An image that is not loaded becomes a line of text. */
export function outputContent(output: ToolContent, { imageBytes, toContent }: OutputOptions): ToolCallContent[] {
  if (typeof output === 'string') return output === '' ? [] : [toContent(output)]
  return output.map((part) => {
    if (part.type === 'text') return toContent(part.text)
    if (part.source.type === 'url') return textContent(`[image: ${part.source.url}]`)
    const { hash, mediaType } = part.source
    const data = imageBytes(hash)
    if (data === undefined) return textContent(`[image: ${mediaType}]`)
    return { type: 'content', content: { type: 'image', data, mimeType: mediaType } }
  })
}
