import type { TurnUpdate } from '@polylogue/aap/client'
import type { Message, MessagePart } from '@polylogue/console/client'
import { toTerminalText } from '../terminal-text.ts'
import type { ChatPrinter } from './chat-printer.ts'
import type { ChatScreen } from './chat-screen.ts'

const MOST_TURNS = 3

export interface RecentDeps {
  readonly screen: ChatScreen
  readonly printer: ChatPrinter
  beforePrint(update: TurnUpdate): Promise<void>
}

/** Shows the end of a conversation: the last messages of the user and everything after each. */
export async function showRecent(
  messages: readonly Message[],
  { screen, printer, beforePrint }: RecentDeps,
): Promise<void> {
  const { stdout, stderr } = screen.terminal
  const starts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
  const from = starts.at(-MOST_TURNS) ?? 0
  if (starts.length > MOST_TURNS) stderr.write(`${stderr.dim('Earlier messages: polylogue sessions show')}\n`)
  for (const message of messages.slice(from)) {
    if (message.role === 'user') stdout.write(`${stdout.bold(`> ${toTerminalText(textOf(message.content))}`)}\n`)
    else {
      for (const update of toUpdates(message)) {
        await beforePrint(update)
        printer.print({ json: {}, update })
      }
    }
  }
  printer.finish()
}

function toUpdates({ role, toolCallId, content }: Message): readonly TurnUpdate[] {
  if (role === 'system') return []
  if (role === 'tool') return [{ type: 'tool-result', toolCallId: toolCallId ?? '', text: textOf(content) }]
  if (typeof content === 'string') return [{ type: 'text', text: content, isWhole: true }]
  return content.flatMap(toUpdate)
}

function toUpdate(part: MessagePart): readonly TurnUpdate[] {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return [{ type: part.type, text: part.text, isWhole: true }]
    case 'tool-call':
      return [{ type: 'tool-call', toolCallId: part.toolCallId, name: part.name, input: part.input }]
    case 'image':
      return []
  }
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : part.type === 'image' ? '[image]' : '')).join('')
}
