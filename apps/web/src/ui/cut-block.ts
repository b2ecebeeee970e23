/**
 * One block of Markdown, cut so that an answer which grows costs the same at its end as at its start. A fence is not
 * parsed at all. A long paragraph, list or table becomes pieces that are parsed one by one, so only the last piece is
 * parsed again. Everything else stays whole.
 */
export type CutBlock =
  | { readonly type: 'whole'; readonly text: string }
  | { readonly type: 'fence'; readonly language: string; readonly text: string }
  | { readonly type: 'paragraph' | 'table'; readonly pieces: readonly string[] }
  | { readonly type: 'list'; readonly start: number | undefined; readonly pieces: readonly string[] }

/** Characters of a piece, at least. Twice as many are parsed again with every delta. */
const PIECE = 500

export function cutBlock(text: string): CutBlock {
  const whole: CutBlock = { type: 'whole', text }
  const fence = cutFence(text)
  if (fence !== undefined) return fence
  if (text.length < 2 * PIECE || REFERS.test(text)) return whole
  return cutList(text) ?? cutTable(text) ?? cutParagraph(text) ?? whole
}

/** A footnote or a definition has a meaning in other pieces. */
const REFERS = /\[\^|^ {0,3}\[[^\]]+\]:/m

/** An indented fence is left to the parser: its lines lose their indentation. */
function cutFence(text: string): CutBlock | undefined {
  const [opening = '', marks = '', info = ''] = /^(`{3,}|~{3,})(.*)(?:\n|$)/.exec(text) ?? []
  if (marks === '' || (marks.startsWith('`') && info.includes('`'))) return undefined
  const body = text.slice(opening.length)
  const closing = new RegExp(`(?:^|\\n) {0,3}${marks}${marks.charAt(0)}*[ \\t]*(?:\\n|$)`).exec(body)
  if (closing !== null && body.slice(closing.index + closing[0].length).trim() !== '') return undefined
  const language = /^\s*(\S*)/.exec(info)?.[1] ?? ''
  return { type: 'fence', language, text: (closing === null ? body : body.slice(0, closing.index)).replace(/\n$/, '') }
}

const ITEM = /^(?:([-*+])|(\d{1,9})([.)])) +\S/

function cutList(text: string): CutBlock | undefined {
  const [, , number] = ITEM.exec(text) ?? []
  if (!ITEM.test(text)) return undefined
  const lines = text.split('\n')
  // A line at the margin below an empty one is outside of the list.
  const isPure = lines.every((line, row) => lines[row - 1]?.trim() !== '' || /^\s|^$/.test(line) || ITEM.test(line))
  if (!isPure) return undefined
  const pieces = gather(lines, (line) => ITEM.test(line))
  return { type: 'list', start: number === undefined ? undefined : Number(number), pieces }
}

const UNDERLINE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/

/** Each piece has the head of the table. */
function cutTable(text: string): CutBlock | undefined {
  const [head = '', underline = '', ...rows] = text.trimEnd().split('\n')
  if (!head.includes('|') || !UNDERLINE.test(underline) || !underline.includes('-')) return undefined
  if (rows.some((row) => row.trim() === '')) return undefined
  return { type: 'table', pieces: gather(rows, () => true).map((part) => `${head}\n${underline}\n${part}`) }
}

/** Lines in pieces that begin where `mayBegin` says. */
function gather(lines: readonly string[], mayBegin: (line: string) => boolean): readonly string[] {
  const pieces: string[] = []
  let piece: string[] = []
  let size = 0
  for (const line of lines) {
    if (size >= PIECE && mayBegin(line)) {
      pieces.push(piece.join('\n'))
      piece = []
      size = 0
    }
    piece.push(line)
    size += line.length + 1
  }
  return [...pieces, piece.join('\n')]
}

/** A letter behind them begins no other block. Two spaces or a backslash before a line break mean something. */
const CUTS = /(?<=[^\s\\]) (?=\p{L})|(?<=[^\s\\] ?)\n(?=\p{L})|(?<=[。！？；，])(?=\p{L})/gu
/** Places that are tried before the rest stays one piece. */
const TRIES = 200

function cutParagraph(text: string): CutBlock | undefined {
  if (!/^\p{L}/u.test(text) || /\n[ \t]*\n/.test(text.trimEnd())) return undefined
  const pieces: string[] = []
  let start = 0
  for (;;) {
    const end = text.length - start < 2 * PIECE ? undefined : findCut(text, start)
    if (end === undefined) break
    pieces.push(text.slice(start, end))
    start = end
  }
  return { type: 'paragraph', pieces: [...pieces, text.slice(start)] }
}

function findCut(text: string, start: number): number | undefined {
  CUTS.lastIndex = start + PIECE
  for (let tries = 0; tries < TRIES; tries++) {
    const cut = CUTS.exec(text)
    if (cut === null) return undefined
    const end = cut.index + cut[0].length
    if (isClosed(text.slice(start, end))) return end
  }
  return undefined
}

const MARKS = /(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])|(?<!\s)\*+|\*+(?!\s)|~~|`+/gu

/** Nothing that began in the text ends behind it: emphasis, code, a link. */
function isClosed(text: string): boolean {
  const plain = text.replace(/\\./gs, '')
  const marks = Map.groupBy(plain.match(MARKS) ?? [], (mark) => mark.charAt(0))
  if ([...marks.values()].some((runs) => runs.length % 2 === 1)) return false
  if (plain.split('[').length !== plain.split(']').length) return false
  return !/\]\([^)]*$/.test(plain)
}
