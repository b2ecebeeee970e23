/**
 * The words by which a memory is found, the same in every store: NFKC, lower case, as `Intl.Segmenter` parts them
 * (which knows the words of Chinese and Japanese), split where something other than a letter or digit is inside, the
 * plurals of English as singulars, without the words that say nothing. None contains a space, so that a store may keep
 * them as one text with spaces between.
 *
 * What is stored was made with this. When it changes, stored words must be made anew.
 */
import { isStopWord } from './stop-words.ts'

const LONGEST_WORD = 64
const MOST_ASKED = 200
/** A question stands at the beginning or at the end of a long text. */
const ASKED_AT_EACH_END = 1_000

let segmenter: Intl.Segmenter | undefined

/** In the order of the text, repeated ones too. */
export function memoryWords(text: string): readonly string[] {
  // Made once, and not before somebody has memories: it takes milliseconds. The locale does not matter for words.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text.toLowerCase().normalize('NFKC'))) {
    if (isWordLike !== true) continue
    for (const piece of segment.split(/[^\p{L}\p{N}\p{M}]+/u)) {
      const word = singularOf(piece).slice(0, LONGEST_WORD).toWellFormed()
      if (word !== '' && !isStopWord(piece) && !isStopWord(word)) words.push(word)
    }
  }
  return words
}

/** The different words of a text that memories are wanted for. */
export function askedWords(text: string): readonly string[] {
  const isLong = text.length > 2 * ASKED_AT_EACH_END
  const asked = isLong ? `${text.slice(0, ASKED_AT_EACH_END)}\n${text.slice(-ASKED_AT_EACH_END)}` : text
  return [...new Set(memoryWords(asked))].slice(0, MOST_ASKED)
}

/** The plurals of English. Elsewhere this does no harm: both sides go through it. */
function singularOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const single = /[^uis]s$/.test(word) ? word.replace(/(?<=[sxz]|[cs]h)es$|s$/, '') : word
  // `releases` and `boxes` cannot be told apart, so that `release` has to lose its e too.
  return single.replace(/ie$/, 'y').replace(/(?<=[sxz]|[cs]h)e$/, '')
}
