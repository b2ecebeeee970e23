/**
 * Characters that a reader cannot see, or that change how the text around them is shown: controls, format characters
 * (bidirectional marks, zero-width characters, tags), everything that Unicode calls ignorable, code points without a
 * character, line separators, unpaired surrogates, letters and symbols without a shape, spaces and slashes that look like
 * the usual ones. Marks that pile up over other lines, and variation selectors where no emoji has one, which can carry a
 * hidden text, are spelled out too.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}|[\u2800\u{1d159}]|[\u2044\u2215\u29f8\uff0f\u2571\u27cb\u2216\u29f5\u29f9\uff3c\ufe68\u2572\u27cd]/u
const MARK = /\p{M}/u
const EMOJI = /\p{Emoji}/u
const KEYCAP = 0x20e3
const MOST_MARKS = 4
const isSelector = (code: number): boolean => code >= 0xfe00 && code <= 0xfe0f
/** Texts without these stay as they are. */
const UNUSUAL = /[^\n\t -~]/

/** The host of a URL. Letters of other alphabets can imitate another host, so they are shown as what they are. */
const AUTHORITY = /:[/\\]{2}[^\s/\\?#"'`<>]{1,300}/gu

/** Makes hidden characters visible as `\u202e`. Tabs and line feeds stay. Used for text that a person approves. */
export function spellOut(text: string): string {
  if (!UNUSUAL.test(text)) return text
  return spellOutPlain(text.replace(AUTHORITY, (host) => (UNUSUAL.test(host) ? toAscii(host) : host)))
}

/** The same on one line: tabs and line feeds become `\t` and `\n`. */
export function spellOutLine(text: string): string {
  return spellOut(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/** Joiners, which emoji and Persian need, and selectors are unreadable only where several follow each other. */
const UNREADABLE =
  /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufff9-\ufffb]|(?!\p{M}|[\u200c\u200d])\p{DI}|\u034f|\u17b4|\u17b5|(?<=[\u200c\u200d])[\u200c\u200d]|(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?<=\p{M}{4})\p{M}/gu

/**
 * For a name or title that a person only reads, of some thousand characters at most: spells out what moves a cursor, reorders
 * text or hides it, and keeps what ordinary text in any script needs.
 */
export function toReadable(text: string): string {
  if (!UNUSUAL.test(text)) return text
  return text.replace(UNREADABLE, (hidden) => escape(hidden.codePointAt(0) ?? 0))
}

/** The same on one line. */
export function toReadableLine(text: string): string {
  return toReadable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/** A loop, because a megabyte of hidden characters takes a regular expression a second. */
function spellOutPlain(text: string): string {
  let spelled = ''
  let marks = 0
  let previous = 0
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0
    const width = code > 0xffff ? 2 : 1
    const kind = code < 0x7f && code > 0x1f ? 'seen' : kindOf(code)
    marks = kind === 'mark' ? marks + 1 : 0
    const isHidden = isSelector(code)
      ? !isShapedBySelector(previous, text.charCodeAt(at + 1))
      : kind === 'hidden' || marks > MOST_MARKS
    spelled += isHidden ? escape(code) : text.slice(at, at + width)
    previous = code
    at += width
  }
  return spelled
}

/** After another character, a selector changes nothing that a reader sees: two names with it and without it look the same. */
function isShapedBySelector(previous: number, next: number): boolean {
  return previous < 0x80 ? next === KEYCAP : EMOJI.test(String.fromCodePoint(previous))
}

type Kind = 'seen' | 'hidden' | 'mark'

const MOST_KEPT = 5000
const kinds = new Map<number, Kind>()

function kindOf(code: number): Kind {
  const known = kinds.get(code)
  if (known !== undefined) return known
  const character = String.fromCodePoint(code)
  const isSeen = character === '\n' || character === '\t'
  const kind = isSeen ? 'seen' : HIDDEN.test(character) ? 'hidden' : MARK.test(character) ? 'mark' : 'seen'
  keep(kinds, code, kind)
  return kind
}

function toAscii(text: string): string {
  let ascii = ''
  for (const character of text) ascii += character < '\u0080' ? character : escape(character.codePointAt(0) ?? 0)
  return ascii
}

const escapes = new Map<number, string>()

function escape(code: number): string {
  const known = escapes.get(code)
  if (known !== undefined) return known
  const digits = code.toString(16)
  const spelled = digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`
  keep(escapes, code, spelled)
  return spelled
}

function keep<Value>(map: Map<number, Value>, code: number, value: Value): void {
  if (map.size === MOST_KEPT) map.clear()
  map.set(code, value)
}
