import { type OfferedTool, textOf } from '@polylogue/engine'
import { outcomeOf } from '../outcome.ts'
import { quote } from '../quote.ts'
import type { Conversation } from '../read-conversation.ts'
import type { Telling } from '../telling.ts'
import type { WorkTexts } from './work-texts.ts'

const LONGEST_LINE = 120

export interface ErrandParts {
  readonly conversation: Conversation
  readonly tools: readonly OfferedTool[]
  readonly texts: WorkTexts
}

/** The guide as a sub-agent. It knows only its prompt, reads the file, and reports in one sentence. */
export function runErrand(path: string, { conversation, tools, texts }: ErrandParts): Omit<Telling, 'thinking'> {
  const { errand } = texts
  const [result] = conversation.results
  if (result === undefined) {
    if (!tools.some(({ name }) => name === 'Read')) return { text: errand.cannotRead, isWhole: true }
    return { text: errand.looks(path), calls: [{ tool: 'Read', input: { path } }] }
  }
  const text = textOf(result.content)
  if (outcomeOf(result).type !== 'done') return { text: errand.failed(path, quote(text)), isWhole: true }
  // As `cat -n` writes them.
  const lines = text.match(/^ *\d+\t.*$/gm) ?? []
  const first = lines[0]?.replace(/^ *\d+\t/, '') ?? ''
  return { text: errand.found(path, lines.length, quote(first, LONGEST_LINE)), isWhole: true }
}
