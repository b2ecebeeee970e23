import { normalizeText } from './normalize-text.ts'

/**
 * Makes texts comparable that people consider equal: full case folding (`STRASSE`, `Straße`), compatibility forms
 * (full-width letters, ligatures), and accents in scripts where people omit them (`Über`, `uber`). In other scripts,
 * marks distinguish words, such as が and か, so they stay.
 */
const MARKS_OF_FOLDED_SCRIPTS =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}])\p{Mn}+/gu
const FINAL_SIGMA = /ς/g
const STROKED = /[øłđðþæœħŧı]/g
const PLAIN: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
}

/** Of a title, in UTF-16 units: every search compares all titles of a user. Its later words are found as words. */
const LONGEST_TITLE = 500

export const foldTitle = (title: string): string => foldText(title.slice(0, LONGEST_TITLE).toWellFormed())

export function foldText(text: string): string {
  // ASCII, which is most text, needs no folding.
  // oxlint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase()
  return (
    normalizeText(text, 'NFKD')
      // Upper case first, because only this turns ß into ss.
      .toUpperCase()
      .toLowerCase()
      .normalize('NFKD')
      .replace(MARKS_OF_FOLDED_SCRIPTS, '$1')
      .normalize('NFKC')
      .replace(FINAL_SIGMA, 'σ')
      .replace(STROKED, (letter) => PLAIN[letter] ?? letter)
  )
}
