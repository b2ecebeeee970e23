const PIECE = /(?:^\s*)?(?:[\p{Script=Han}，。、：；！？（）“”]{1,2}|[^\s\p{Script=Han}，。、：；！？（）“”]+)\s*/gu

/**
 * Cuts a text into what is said at a time: a word, or where there are no spaces between words two characters, each with
 * the white space that follows. Joined again they are the text.
 */
export function toPieces(text: string): readonly string[] {
  if (text === '') return []
  return text.match(PIECE) ?? [text]
}
