/**
 * Splits a text into runs of characters of one kind. Written by hand because it reads every indexed text, and a regular
 * expression takes ten times as long.
 */
export type RunKind = 'word' | 'paired' | 'emoji'

export interface Run {
  readonly kind: RunKind
  readonly text: string
  readonly isAscii: boolean
}

type Kind = RunKind | 'mark' | 'other'

const PAIRED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}々〆ー]/u
const WORD = /[\p{L}\p{N}]/u
const MARK = /\p{M}/u
const EMOJI = /\p{Extended_Pictographic}/u

/** The text must be well-formed. Combining marks belong to the run before them. */
export function* cutRuns(text: string): Generator<Run> {
  let start = 0
  let kind: RunKind | 'other' = 'other'
  let isAscii = true
  for (let at = 0; at <= text.length;) {
    const point = text.codePointAt(at)
    const next: RunKind | 'other' = point === undefined ? 'other' : join(kind, kindOf(point))
    if (next !== kind || next === 'emoji') {
      if (kind !== 'other') yield { kind, text: text.slice(start, at), isAscii }
      start = at
      kind = next
      isAscii = true
    }
    if (point === undefined) return
    if (point > 0x7f) isAscii = false
    at += point > 0xffff ? 2 : 1
  }
}

/** A combining mark continues the run before it. */
function join(before: RunKind | 'other', kind: Kind): RunKind | 'other' {
  if (kind !== 'mark') return kind
  return before === 'word' || before === 'paired' ? before : 'other'
}

const OF_ASCII: readonly Kind[] = Array.from({ length: 128 }, (_, code) =>
  /[0-9A-Za-z]/.test(String.fromCharCode(code)) ? 'word' : 'other',
)
/** Caches the kinds of characters. A text uses few of them, and `MOST_KNOWN` limits the cache. */
const known = new Map<number, Kind>()
const MOST_KNOWN = 20_000

function kindOf(point: number): Kind {
  const ascii = OF_ASCII[point]
  if (ascii !== undefined) return ascii
  const found = known.get(point)
  if (found !== undefined) return found
  const kind = classify(String.fromCodePoint(point))
  if (known.size < MOST_KNOWN) known.set(point, kind)
  return kind
}

function classify(character: string): Kind {
  if (MARK.test(character)) return 'mark'
  if (PAIRED.test(character)) return 'paired'
  if (WORD.test(character)) return 'word'
  return EMOJI.test(character) ? 'emoji' : 'other'
}
