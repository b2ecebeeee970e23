import type {
  AssistantContent,
  AssistantPart,
  ConversationMessage,
  HistoryMessages,
  ImageSource,
  UserContent,
} from '@polylogue/engine'
import { loadImageUrls, type ImageUrls, type ReadBlob } from './images.ts'
import type { WireBlock, WireContent, WireMessage } from './wire.ts'

/** Content as it was given: a string stays a string, blocks stay blocks, blobs become `data:` URIs again. One at a time. */
export async function* encodeMessages(messages: HistoryMessages, readBlob: ReadBlob): AsyncGenerator<WireMessage> {
  for await (const message of messages) {
    if (isSilent(message)) continue
    const sources = message.role === 'system' ? [] : imagesIn(message.content)
    yield encodeMessage(message, await loadImageUrls(sources, readBlob))
  }
}

/** Some providers keep their reasoning to themselves: such a block has data for the model and no text for anybody. */
const isHidden = (part: AssistantPart): boolean =>
  part.type === 'thinking' && part.text === '' && part.opaque !== undefined

const isSilent = (message: ConversationMessage): boolean =>
  message.role === 'assistant' &&
  typeof message.content !== 'string' &&
  message.content.length > 0 &&
  message.content.every(isHidden)

function encodeMessage(message: ConversationMessage, urls: ImageUrls): WireMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
    case 'assistant':
      return { role: message.role, content: encodeContent(message.content, urls) }
    case 'tool':
      return { role: 'tool', toolCallId: message.toolCallId, content: encodeContent(message.content, urls) }
  }
}

export function encodeContent(content: UserContent | AssistantContent, urls: ImageUrls): WireContent {
  if (typeof content === 'string') return content
  return content.filter((part) => !isHidden(part)).map((part) => encodePart(part, urls))
}

function encodePart(part: AssistantPart, urls: ImageUrls): WireBlock {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'thinking':
      return { type: 'thinking', thinking: part.text }
    case 'tool-call':
      return { type: 'tool_use', toolCallId: part.toolCallId, name: part.name, input: part.input }
    case 'image':
      return { type: 'image', url: urls(part.source) }
  }
}

export function imagesIn(content: UserContent | AssistantContent): ImageSource[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => (part.type === 'image' ? [part.source] : []))
}
