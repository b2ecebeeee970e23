import type { Message, MessagePart, SessionRecord } from '@polylogue/console/client'
import { formatLocalTime } from './local-time.ts'
import type { Output } from './terminal.ts'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'

/** A session for a reader at a terminal, in pieces: what it is, what was said, what it waits for. */
export function* formatSessionRecord({ session, messages, events }: SessionRecord, output: Output): Generator<string> {
  const facts: readonly (readonly [string, string])[] = [
    ['Session', session.sessionId],
    ['Title', toTerminalLine(session.title ?? '')],
    ['Agent', toTerminalLine(session.agent)],
    ['Parent', session.parent?.sessionId ?? ''],
    ['Forks', (session.forks ?? []).map(({ sessionId }) => sessionId).join(' ')],
    ['Status', session.lastOutcome === undefined ? session.status : `${session.status} (${session.lastOutcome})`],
    ['Created', formatLocalTime(session.createdAt)],
    ['Updated', formatLocalTime(session.updatedAt)],
    ['Events', String(events)],
  ]
  for (const [name, value] of facts) if (value !== '') yield `${output.dim(name.padEnd(8))} ${value}\n`
  for (const message of messages) yield formatEntry(message, output)
  for (const id of session.waitingCalls) yield `\n${output.bold('waits for')} ${toTerminalLine(id)}\n`
}

function formatEntry({ role, toolCallId, content }: Message, output: Output): string {
  const heading = toolCallId === undefined ? role : `${role} ${toTerminalLine(toolCallId)}`
  const parts =
    typeof content === 'string' ? [toTerminalText(content)] : content.map((part) => formatPart(part, output))
  return `\n${output.bold(heading)}\n${parts
    .filter((text) => text !== '')
    .map(withLineEnd)
    .join('')}`
}

function formatPart(part: MessagePart, output: Output): string {
  switch (part.type) {
    case 'text':
      return toTerminalText(part.text)
    case 'thinking':
      return output.dim(toTerminalText(part.text))
    case 'tool-call':
      return `→ ${toTerminalLine(`${part.name} ${JSON.stringify(part.input)}`)} ${output.dim(toTerminalLine(part.toolCallId))}`
    case 'image':
      return '[image]'
  }
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
