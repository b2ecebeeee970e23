/**
 * The words by which a memory is found, the same in every store. The text is normalized (NFKC), lower-cased and
 * segmented by `Intl.Segmenter`, which knows the words of Chinese and Japanese. Words are split at characters other
 * than letters and digits, English plurals become singulars, and stop words are removed. No word contains a space, so a
 * store can keep them as one text separated by spaces.
 *
 * Stored words were computed with this code. When it changes, they must be computed again.
 */
import { normalizeText } from '../search/normalize-text.ts'
import { isStopWord } from './stop-words.ts'

const LONGEST_WORD = 64
const MOST_ASKED = 200
/** The question is usually at the start or at the end of a long text. */
const ASKED_AT_EACH_END = 1_000

let segmenter: Intl.Segmenter | undefined

/** In text order, with repetitions. */
export function memoryWords(text: string): readonly string[] {
  // Created lazily, because it takes milliseconds. The locale does not matter for word boundaries.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(normalizeText(text.toLowerCase(), 'NFKC'))) {
    if (isWordLike !== true) continue
    for (const piece of segment.split(/[^\p{L}\p{N}\p{M}]+/u)) {
      const word = singularOf(piece).slice(0, LONGEST_WORD).toWellFormed()
      if (word !== '' && !isStopWord(piece) && !isStopWord(word)) words.push(word)
    }
  }
  return words
}

/** The distinct words of a text to recall memories for. */
export function askedWords(text: string): readonly string[] {
  const isLong = text.length > 2 * ASKED_AT_EACH_END
  const asked = isLong ? `${text.slice(0, ASKED_AT_EACH_END)}\n${text.slice(-ASKED_AT_EACH_END)}` : text
  return [...new Set(memoryWords(asked))].slice(0, MOST_ASKED)
}

/**
 * Turns English plurals into singulars. This does no harm in other languages, because both sides are processed the same
 * way.
 */
function singularOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const single = /[^uis]s$/.test(word) ? word.replace(/(?<=[sxz]|[cs]h)es$|s$/, '') : word
  // `releases` and `boxes` look alike, so `release` must lose its e too.
  return single.replace(/ie$/, 'y').replace(/(?<=[sxz]|[cs]h)e$/, '')
}
