// Characters that only a model reads: with them a page or a server could tell it something that no person sees.

/** Tags (copies of ASCII), the unused code points beside them, and variation selectors in a row, which can carry bytes. No text needs them. */
const CARRIERS =
  /[\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]|(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu

/**
 * Controls, bidirectional controls and zero-width characters. The joiners U+200C and U+200D stay, one at a time: emoji and
 * Persian need them.
 */
const INVISIBLE =
  /[^\P{Cc}\n\t]|[\ufff9-\ufffb]|(?!\p{M}|[\u200c\u200d])\p{DI}|\u034f|\u17b4|\u17b5|(?<=[\u200c\u200d])[\u200c\u200d]+/gu

/** For text that is only read: line ends become line feeds, hidden characters are removed. */
export function dropHidden(text: string): string {
  return dropCarriers(text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(INVISIBLE, ''))
}

/** For data that may be written back: removes only what carries hidden text. */
export function dropCarriers(text: string): string {
  return text.replace(CARRIERS, '')
}
