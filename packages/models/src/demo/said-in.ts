import { type ModelMessage, textOf } from '@polylogue/engine'
import { quote } from './quote.ts'

const SUMMARY = /^The conversation so far, in a summary:\n\n/
/** How the guide's own summaries go on, in both languages. */
const SAID = /(?:The user wrote: |用户写过：)(.*)$/s
const BETWEEN = ' / '
const LONGEST = 80
const MOST = 100

/** What the user said, in order, also what only a summary tells of any more. */
export function saidIn(messages: readonly ModelMessage[]): readonly string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => textOf(content))
    .flatMap((text) => (SUMMARY.test(text) ? fromSummary(text) : [text]))
}

/** As a summary tells it: enough to know later what was shown. */
export function joinSaid(said: readonly string[]): string {
  return said
    .slice(-MOST)
    .map((text) => quote(text.replaceAll(/\s*\/\s*|\s+/g, ' '), LONGEST))
    .join(BETWEEN)
}

function fromSummary(summary: string): readonly string[] {
  const [, said = ''] = SAID.exec(summary) ?? []
  return said === '' ? [] : said.split(BETWEEN)
}
