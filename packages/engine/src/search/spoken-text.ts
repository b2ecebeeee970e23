import { textOf } from '../content.ts'
import { decodeEvent, type EncodedEvent } from '../events/codec.ts'
import { currentVersion } from '../events/upcast.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'

/** The types of events that contain spoken text. */
export const SPOKEN_TYPES = [
  'session.seeded',
  'input.admitted',
  'input.changed',
  'step.answered',
  'step.ended',
] as const satisfies readonly RecordedEvent['type'][]

/** `spokenText` of a stored event. The usual ones are read without a schema. Throws when an event cannot be decoded. */
export function spokenTextIn(row: EncodedEvent): string {
  // Only interrupted steps end with text.
  if (row.type === 'step.ended' && !row.data.includes('"partial"')) return ''
  const plain = row.version === currentVersion(row.type) ? plainText(JSON.parse(row.data), row.type) : undefined
  return plain ?? spokenText(decodeEvent(row))
}

/** The text of an input that is a text, or of an answer that is one block of text. Else `undefined`. */
function plainText(data: unknown, type: string): string | undefined {
  if (typeof data !== 'object' || data === null || 'by' in data || 'loopId' in data) return undefined
  if (!('type' in data) || data.type !== type) return undefined
  if (type === 'input.admitted' && 'content' in data) return typeof data.content === 'string' ? data.content : undefined
  if (type !== 'step.answered' || !('blocks' in data) || !Array.isArray(data.blocks)) return undefined
  const blocks: readonly unknown[] = data.blocks
  const block = blocks[0]
  if (typeof block !== 'object' || block === null || blocks.length > 1) return undefined
  if (!('type' in block) || block.type !== 'text' || !('text' in block)) return undefined
  return typeof block.text === 'string' ? block.text : undefined
}

/** The searchable text of users and the agent. Excludes tool results, sub-agents and questions of the engine. */
export function spokenText(event: RecordedEvent): string {
  if ('loopId' in event && event.loopId !== undefined) return ''
  switch (event.type) {
    case 'session.seeded':
      return event.messages
        .map((message) => (message.role === 'user' || message.role === 'assistant' ? textOf(message.content) : ''))
        .join('\n')
    case 'input.admitted':
    case 'input.changed':
      return textOf(event.content)
    case 'step.answered':
      return event.by === 'engine' ? '' : textOf(event.blocks)
    case 'step.ended':
      return textOf(event.partial ?? [])
    default:
      return ''
  }
}
