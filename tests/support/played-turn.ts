import type { Block, Content, HistoryMessage, ToolCall, ToolUse, TurnAnswer } from './aap-wire.ts'
import type { Frame } from './sse-parser.ts'

/** A turn as its client saw it, in one shape for all stream modes. */
export interface PlayedTurn {
  readonly stopReason: string
  readonly text: string
  readonly thinking: string
  readonly calls: readonly ToolCall[]
  readonly results: readonly ToolOutcome[]
  /** Event names in order, adjacent deltas as one. Without a stream they come from the blocks. */
  readonly order: readonly string[]
}

export interface ToolOutcome {
  readonly toolCallId: string
  readonly content: Content
}

export function playedFromFrames(frames: readonly Frame[]): PlayedTurn {
  const joined = (event: string, field: string): string =>
    frames.map(({ event: name, data }) => (name === event ? String(data[field]) : '')).join('')
  const stop = frames.at(-1)
  if (stop?.event !== 'turn_stop') throw new Error(`the stream does not end with turn_stop but ${stop?.event}`)
  return {
    stopReason: String(stop.data['stopReason']),
    text: joined('text_delta', 'delta') + joined('text', 'text'),
    thinking: joined('thinking_delta', 'delta') + joined('thinking', 'thinking'),
    calls: frames.filter(({ event }) => event === 'tool_call').map(({ data }) => callOf(data as unknown as ToolCall)),
    results: frames
      .filter(({ event }) => event === 'tool_result')
      .map(({ data }) => ({ toolCallId: String(data['toolCallId']), content: data['content'] as Content })),
    order: withoutRuns(frames.map(({ event }) => event)),
  }
}

export function playedFromAnswer(answer: TurnAnswer): PlayedTurn {
  const blocks = answer.messages.flatMap((message) => (message.role === 'assistant' ? blocksOf(message.content) : []))
  return {
    stopReason: answer.stopReason,
    text: textIn(blocks),
    thinking: blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: callsIn(answer.messages),
    results: answer.messages.flatMap((message) =>
      message.role === 'tool' ? [{ toolCallId: message.toolCallId, content: message.content }] : [],
    ),
    order: answer.messages.flatMap((message) =>
      message.role === 'tool' ? ['tool_result'] : blocksOf(message.content).map(eventNameOf),
    ),
  }
}

export function blocksOf(content: Content): readonly Block[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

export function textIn(blocks: readonly Block[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

/** The assistant's text in these messages. */
export function textOf(messages: readonly HistoryMessage[]): string {
  return messages.map((message) => (message.role === 'assistant' ? textIn(blocksOf(message.content)) : '')).join('')
}

export function callsIn(messages: readonly HistoryMessage[]): readonly ToolCall[] {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? blocksOf(message.content) : []))
    .filter((block): block is ToolUse => block.type === 'tool_use')
    .map(callOf)
}

/** Calls of the last assistant message without a result. A client that lost its state looks for these. */
export function pendingCalls(history: readonly HistoryMessage[]): readonly ToolCall[] {
  const answered = new Set(history.map((message) => (message.role === 'tool' ? message.toolCallId : undefined)))
  const last = history.findLast((message) => message.role === 'assistant')
  return last ? callsIn([last]).filter(({ toolCallId }) => !answered.has(toolCallId)) : []
}

/** Normalizes assistant content to blocks: a server may send either form. */
export function inBlocks(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  return messages.map((message) =>
    message.role === 'assistant' ? { role: 'assistant', content: blocksOf(message.content) } : message,
  )
}

function callOf({ toolCallId, name, input }: ToolCall): ToolCall {
  return { toolCallId, name, input }
}

function eventNameOf(block: Block): string {
  return block.type === 'tool_use' ? 'tool_call' : block.type
}

function withoutRuns(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => !(name.endsWith('_delta') && names[index - 1] === name))
}
