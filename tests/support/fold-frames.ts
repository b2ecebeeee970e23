import type { Block, Content, HistoryMessage, ToolUse } from './aap-wire.ts'
import type { Frame } from './sse-parser.ts'

/** Folds a stream to messages as a client does. A tool result ends an assistant message; everything else adds to it. */
export function foldFrames(frames: readonly Frame[]): readonly HistoryMessage[] {
  const messages: HistoryMessage[] = []
  let blocks: Block[] = []
  const flush = (): void => {
    if (blocks.length > 0) messages.push({ role: 'assistant', content: blocks })
    blocks = []
  }
  for (const { event, data } of frames) {
    switch (event) {
      case 'text_delta':
        extend(blocks, { type: 'text', text: String(data['delta']) })
        break
      case 'thinking_delta':
        extend(blocks, { type: 'thinking', thinking: String(data['delta']) })
        break
      case 'text':
        blocks.push({ type: 'text', text: String(data['text']) })
        break
      case 'thinking':
        blocks.push({ type: 'thinking', thinking: String(data['thinking']) })
        break
      case 'tool_call': {
        const { toolCallId, name, input } = data as unknown as ToolUse
        blocks.push({ type: 'tool_use', toolCallId, name, input })
        break
      }
      case 'tool_result':
        flush()
        messages.push({ role: 'tool', toolCallId: String(data['toolCallId']), content: data['content'] as Content })
        break
      default:
        break
    }
  }
  flush()
  return messages
}

function extend(blocks: Block[], piece: Block): void {
  const last = blocks.at(-1)
  if (last?.type === 'text' && piece.type === 'text') {
    blocks[blocks.length - 1] = { type: 'text', text: last.text + piece.text }
  } else if (last?.type === 'thinking' && piece.type === 'thinking') {
    blocks[blocks.length - 1] = { type: 'thinking', thinking: last.thinking + piece.thinking }
  } else blocks.push(piece)
}
