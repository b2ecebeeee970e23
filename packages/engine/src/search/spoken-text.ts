import { textOf } from '../content.ts'
import type { RecordedEvent } from '../events/recorded-event.ts'

/** The types of events in which somebody says something. */
export const SPOKEN_TYPES = [
  'session.seeded',
  'input.admitted',
  'step.answered',
  'step.ended',
] as const satisfies readonly RecordedEvent['type'][]

/** What people and the agent say, for a search; not what tools answer, sub-agents say or the engine asks. */
export function spokenText(event: RecordedEvent): string {
  if ('loopId' in event && event.loopId !== undefined) return ''
  switch (event.type) {
    case 'session.seeded':
      return event.messages
        .map((message) => (message.role === 'user' || message.role === 'assistant' ? textOf(message.content) : ''))
        .join('\n')
    case 'input.admitted':
      return textOf(event.content)
    case 'step.answered':
      return event.by === 'engine' ? '' : textOf(event.blocks)
    case 'step.ended':
      return textOf(event.partial ?? [])
    default:
      return ''
  }
}
