import { textOf } from '../content.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'

/** The types of events that contain spoken text. */
export const SPOKEN_TYPES = [
  'session.seeded',
  'input.admitted',
  'input.changed',
  'step.answered',
  'step.ended',
] as const satisfies readonly RecordedEvent['type'][]

/** `false`: the event has no text, which is known without decoding it. Only interrupted steps end with text. */
export const maySpeak = ({ type, data }: { readonly type: string; readonly data: string }): boolean =>
  type !== 'step.ended' || data.includes('"partial"')

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
