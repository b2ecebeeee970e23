import type { Message, MessagePart, SessionRecord } from '@polylogue/console/client'
import { formatLocalTime } from './local-time.ts'
import type { Output } from './terminal.ts'
import { toTerminalLine, toTerminalText } from './terminal-text.ts'

/** A session for a reader at a terminal: what it is, what was said, what it waits for. */
export function formatSessionRecord({ session, messages, events }: SessionRecord, output: Output): string {
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
  const head = facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${output.dim(name.padEnd(8))} ${value}\n`)
  const waiting = session.waitingCalls.map((id) => `\n${output.bold('waits for')} ${toTerminalLine(id)}\n`)
  return [...head, ...messages.map((message) => formatEntry(message, output)), ...waiting].join('')
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
