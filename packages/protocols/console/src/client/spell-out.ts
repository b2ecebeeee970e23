/**
 * Characters that a reader cannot see, or that change how the text around them is shown. The same as the engine's
 * `spellOut`, which a browser cannot import; a test compares the two.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u034f\u115f\u1160\u17b4\u17b5]|[\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu

/** Makes hidden characters visible as `\u202e`. Tabs and line feeds stay. For text that somebody approves. */
export function spellOut(text: string): string {
  return text.replace(HIDDEN, (character) => (character === '\n' || character === '\t' ? character : escape(character)))
}

/** The same on one line: tabs and line feeds become `\t` and `\n`. */
export const spellOutLine = (text: string): string => spellOut(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')

function escape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}
