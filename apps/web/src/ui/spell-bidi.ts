// Characters that turn the direction of text around them, and control characters. Joiners and spaces of other scripts
// stay: emoji and Chinese need them.
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|(?![\n\t\r])\p{Cc}/gu

/** Makes characters visible with which a text could be shown differently from what it is. */
export const spellBidi = (text: string): string =>
  text.replace(TURNING, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
