import { expect, it } from 'vitest'
import { foldText } from './fold-text.ts'
import { normalizeText } from './normalize-text.ts'
import { toSearchTokens } from './search-tokens.ts'

it.each(['Ångström', 'e\u0301', 'ﬁ ｶﾞ が か\u3099', '각 ᄀ', `a${'\u0301\u0316'.repeat(16)}`, '👩🏽‍💻'])(
  'normalizes ordinary text as the runtime does: %s',
  (text) => {
    for (const form of ['NFC', 'NFKC', 'NFKD'] as const) expect(normalizeText(text, form)).toBe(text.normalize(form))
  },
)

const MARKS = [
  '\u0301',
  '\u0316',
  '\u0334',
  '\u0345',
  '\u3099',
  '\u0f71',
  '\u0f74',
  '\u0344',
  '\uff9e',
  '\uff9f',
  '\u05b0',
  '\u{1d165}',
]
const PAIRS = MARKS.flatMap((one) => MARKS.map((other): [string] => [one + other]))

it.each(PAIRS)('folds a pile of the marks %j in linear time', (pair) => {
  const text = `a${pair.repeat(100_000)}`
  const before = process.threadCpuUsage()
  foldText(text)
  toSearchTokens(text)
  for (const form of ['NFC', 'NFKC', 'NFKD'] as const) normalizeText(text, form)
  // The runtime takes more than a second for one of these.
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1_000)
})
