// Scripts for the scripted model: the user's message says, line by line, what the model does.
import { createHash } from 'node:crypto'
import type { HistoryMessage } from './aap-wire.ts'
import { textOf } from './played-turn.ts'

export function script(...lines: readonly string[]): string {
  return lines.join('\n')
}

export function call(id: string, tool: string, input: Readonly<Record<string, unknown>> = {}): string {
  return `call ${id} ${tool} ${JSON.stringify(input)}`
}

/** Separates the scripts of two model steps. */
export const NEXT = '---'

/** The JSON line of a `show` directive, in which the model describes its request. */
export function shown(messages: readonly HistoryMessage[]): unknown {
  return shownIn(textOf(messages))
}

export function shownIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`the model showed no JSON but: ${text}`, { cause })
  }
}

/** How `show options` prints a secret. */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8)
}

/** A message as `show messages` prints it. */
export interface ShownMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string | readonly { readonly type: string; readonly text?: string }[]
  readonly toolCallId?: string
}

export function shownMessages(messages: readonly HistoryMessage[]): readonly ShownMessage[] {
  const value = shown(messages)
  if (!Array.isArray(value)) throw new Error(`the model showed no list: ${JSON.stringify(value)}`)
  return value as ShownMessage[]
}

export function shownText({ content }: ShownMessage): string {
  return typeof content === 'string'
    ? content
    : content.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('')
}

/** Names of the tools that the model was offered, as `show tools` prints them. */
export function shownToolNames(messages: readonly HistoryMessage[]): readonly string[] {
  const value = shown(messages)
  if (!Array.isArray(value)) throw new Error(`the model showed no list: ${JSON.stringify(value)}`)
  return (value as readonly { readonly name: string }[]).map(({ name }) => name)
}
