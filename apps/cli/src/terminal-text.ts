// Text of users, models and tools can carry escape sequences that move the cursor, change the window or hide what an
// approval shows, bidirectional controls that make it read differently, text that only a model reads, and marks that pile
// up over other lines. On a terminal they are spelled out, in JavaScript's notation, which is JSON's too.
const BIDIRECTIONAL = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
/** Not the joiners U+200C and U+200D: emoji and Persian need them. */
const INVISIBLE =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u2028\\u2029\\u2060-\\u2065\\u206a-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'
/** Tags and what else Unicode keeps free for invisible characters, shorthand and musical controls. */
const PAIRS =
  '\\udb40[\\udc00-\\udcff\\uddf0-\\udfff]|[\\udb41-\\udb43][\\udc00-\\udfff]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]'
const SELECTORS = '(?<=[\\ufe00-\\ufe0f]|\\udb40[\\udd00-\\uddef])(?:[\\ufe00-\\ufe0f]|\\udb40[\\udd00-\\uddef])'
const JOINERS = '(?<=[\\u200c\\u200d])[\\u200c\\u200d]'
const HALVES = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]'
const PILES =
  '(?<=[\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff]{4})[\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff]'
const unsafe = (controls: string): RegExp =>
  new RegExp([`[${controls}${BIDIRECTIONAL}${INVISIBLE}]`, PAIRS, SELECTORS, JOINERS, HALVES, PILES].join('|'), 'g')

const UNSAFE = unsafe('\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f')
const UNSAFE_OR_BREAK = unsafe('\\u0000-\\u001f\\u007f-\\u009f')

/** Keeps line breaks and tabs. */
export function toTerminalText(text: string): string {
  return text.replace(UNSAFE, spellOut)
}

/** One line, whatever the text holds. */
export function toTerminalLine(text: string): string {
  return text.replace(UNSAFE_OR_BREAK, spellOut)
}

/** The colours that this program writes. Everything else that begins with an escape character is foreign. */
// oxlint-disable-next-line no-control-regex
const COLOR = /(\u001b\[(?:0|1|2|31|32|36)m)/

/** The last wall before a terminal: what a verb forgot to spell out. Keeps our colours. */
export function toTerminalOutput(text: string): string {
  if (!HAS_UNSAFE.test(text)) return text
  return text
    .split(COLOR)
    .map((piece, index) => (index % 2 === 1 ? piece : toTerminalText(piece)))
    .join('')
}

const HAS_UNSAFE = new RegExp(UNSAFE.source)

function spellOut(characters: string): string {
  if (characters === '\n') return '\\n'
  if (characters === '\t') return '\\t'
  if (characters === '\r') return '\\r'
  return [...Array(characters.length).keys()]
    .map((at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
}
