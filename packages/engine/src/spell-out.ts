/**
 * Characters that a reader cannot see, or that change how the text around them is shown: controls, format characters
 * (bidirectional marks, zero-width characters, tags), line separators, unpaired surrogates, letters without a shape, and
 * spaces that look like the usual one.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u034f\u115f\u1160\u17b4\u17b5]|[\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu

/** Makes hidden characters visible as `\u202e`. Tabs and line feeds stay. Used for text that a person approves. */
export function spellOut(text: string): string {
  return text.replace(HIDDEN, (character) => (character === '\n' || character === '\t' ? character : escape(character)))
}

/** The same on one line: tabs and line feeds become `\t` and `\n`. */
export function spellOutLine(text: string): string {
  return text.replace(HIDDEN, (character) => {
    if (character === '\n') return '\\n'
    return character === '\t' ? '\\t' : escape(character)
  })
}

function escape(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}
