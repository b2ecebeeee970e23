/**
 * The tokens by which texts are found, the same in every store. Stored indexes contain these tokens. When this code
 * changes, the indexes must be rebuilt.
 *
 * - A word of a script with spaces is one token: `Grüße` is `grusse`. Parts of camel case are tokens too.
 * - Scripts without spaces between words (Chinese, Japanese, Thai, …) and Korean, whose words carry endings, are cut
 *   into overlapping pairs of characters: 中国人 is 中国, 国人, 人. A word of two characters is then a token, a longer
 *   one a sequence of tokens, and a single character the beginning of one.
 * - An emoji is a token.
 *
 * No token contains a space or an ASCII sign other than letters and digits.
 */
import { cutRuns, type Run } from './cut-runs.ts'
import { foldText } from './fold-text.ts'
import { normalizeText } from './normalize-text.ts'

const LOWER_THEN_UPPER = /[\p{Ll}\p{N}]\p{Lu}/u
const CAMEL = /(?<=\p{Ll}|\p{N})(?=\p{Lu})/u
const LONGEST_WORD = 64
const SHORTEST_PREFIX = 3
const MOST_TERMS = 16

/** In text order. A word is listed only once, because its position does not matter. */
export function toSearchTokens(text: string): readonly string[] {
  const tokens: string[] = []
  const words = new Set<string>()
  for (const run of cutRuns(text.toWellFormed())) {
    switch (run.kind) {
      case 'word':
        for (const word of wordsOf(run)) {
          if (words.has(word)) continue
          words.add(word)
          tokens.push(word)
        }
        break
      case 'paired':
        addPairs(tokens, foldPaired(run.text))
        break
      default:
        tokens.push(run.text)
    }
  }
  return tokens
}

/** One search term: a sequence of adjacent tokens. */
export interface SearchTerm {
  readonly tokens: readonly [string, ...string[]]
  /** Whether the last token may be a prefix. */
  readonly isPrefix: boolean
}

/** A session must contain all terms, in any place. Empty if the query has no letter, digit or emoji. */
export function toSearchTerms(query: string): readonly SearchTerm[] {
  const terms = new Map<string, SearchTerm>()
  for (const run of cutRuns(query.toWellFormed())) {
    const term = run.kind === 'paired' ? toPairedTerm(foldPaired(run.text)) : toWordTerm(run)
    terms.set(JSON.stringify(term), term)
    if (terms.size === MOST_TERMS) break
  }
  return [...terms.values()]
}

/** Whether a text with these tokens contains the term. */
export function hasTerm(textTokens: readonly string[], { tokens, isPrefix }: SearchTerm): boolean {
  const last = tokens.length - 1
  return textTokens.some((_, start) =>
    tokens.every((token, index) => {
      const found = textTokens[start + index]
      return index === last && isPrefix ? found?.startsWith(token) === true : found === token
    }),
  )
}

/** The whole word first, then the parts of camel case. */
function wordsOf({ text, isAscii }: Run): readonly string[] {
  const word = toWord(text, isAscii)
  if (!LOWER_THEN_UPPER.test(text)) return [word]
  return [word, ...text.split(CAMEL).map((part) => toWord(part, isAscii))]
}

function addPairs(tokens: string[], run: string): void {
  let before = ''
  for (const character of run) {
    if (before !== '') tokens.push(before + character)
    before = character
  }
  if (before !== '') tokens.push(before)
}

/** These scripts have no case and keep their marks. */
const foldPaired = (run: string): string => normalizeText(run, 'NFKC')

/** The last character is a prefix of the pair that follows in the text. */
function toPairedTerm(run: string): SearchTerm {
  const pairs: string[] = []
  addPairs(pairs, run)
  const [first = run, ...rest] = pairs
  if (rest.length === 0) return { tokens: [first], isPrefix: true }
  return { tokens: [first, ...rest.slice(0, -1)], isPrefix: false }
}

/** One or two letters must match a whole word. As a prefix they would match almost everything. */
function toWordTerm({ text, isAscii }: Run): SearchTerm {
  const word = toWord(text, isAscii)
  return { tokens: [word], isPrefix: Array.from(word).length >= SHORTEST_PREFIX }
}

function toWord(text: string, isAscii: boolean): string {
  return isAscii ? text.toLowerCase().slice(0, LONGEST_WORD) : foldWord(text).slice(0, LONGEST_WORD).toWellFormed()
}

/** A cache, because words repeat and folding one takes microseconds. */
const folded = new Map<string, string>()
const MOST_FOLDED = 5_000
const LONGEST_KEPT = 32

function foldWord(word: string): string {
  const known = folded.get(word)
  if (known !== undefined) return known
  const result = foldText(word)
  if (folded.size >= MOST_FOLDED) folded.clear()
  if (word.length <= LONGEST_KEPT) folded.set(word, result)
  return result
}
