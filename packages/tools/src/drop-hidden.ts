// Characters that only a model reads: with them a page or a server could tell it something that no person sees.

/** Tags (copies of ASCII) and variation selectors in a row, which can carry bytes. No text needs them. */
const CARRIERS = /[\u{e0000}-\u{e00ff}]|(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu

/**
 * Controls, bidirectional controls and zero-width characters. The joiners U+200C and U+200D stay, one at a time: emoji and
 * Persian need them.
 */
const INVISIBLE =
  /[^\P{Cc}\n\t]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<=[\u200c\u200d])[\u200c\u200d]+/gu

/** For text that is only read: line ends become line feeds, hidden characters are removed. */
export function dropHidden(text: string): string {
  return dropCarriers(text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(INVISIBLE, ''))
}

/** For data that may be written back: removes only what carries hidden text. */
export function dropCarriers(text: string): string {
  return text.replace(CARRIERS, '')
}
