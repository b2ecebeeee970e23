/**
 * The regular expressions of permission rules, as a tree. It is the part of the usual syntax that can be matched in
 * linear time: no back reference, no look-around. Whatever else is written makes the text no pattern of ours.
 *
 *   alternatives  a|b            groups      (…) (?:…) (?<name>…)      repeats  * + ? {2} {2,} {2,5}, also lazy
 *   anchors       ^ $ \b \B      classes     . \d \D \w \W \s \S [a-z] [^a-z]
 *   escapes       \n \r \t \f \v \0 \x41 \u0041 \u{1F600}, and any punctuation
 *
 * `(?i)` at the very beginning: upper and lower case are the same.
 */
export type PatternNode =
  /** `cost`: how many comparisons `matches` may take. */
  | { readonly type: 'character'; readonly matches: CharacterTest; readonly cost: number }
  | { readonly type: 'assertion'; readonly kind: AssertionKind }
  | { readonly type: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly item: PatternNode; readonly least: number; readonly most: number }

export type CharacterTest = (codePoint: number) => boolean
export type AssertionKind = 'start' | 'end' | 'word-border' | 'no-word-border'

export class PatternError extends Error {
  override readonly name = 'PatternError'
}

const LARGEST_PATTERN = 1_000
const MOST_REPEATS = 1_000
const DEEPEST_GROUP = 50

/** Throws a `PatternError` that says what is wrong. */
export function parsePattern(source: string): PatternNode {
  if (source.length > LARGEST_PATTERN) throw new PatternError(`longer than ${LARGEST_PATTERN} characters`)
  const ignoresCase = source.startsWith('(?i)')
  const reader = new PatternReader(Array.from(ignoresCase ? source.slice(4) : source), ignoresCase)
  return reader.readWhole()
}

class PatternReader {
  private readonly characters: readonly string[]
  private readonly ignoresCase: boolean
  private at = 0
  private depth = 0

  constructor(characters: readonly string[], ignoresCase: boolean) {
    this.characters = characters
    this.ignoresCase = ignoresCase
  }

  readWhole(): PatternNode {
    const node = this.readChoice()
    if (this.at < this.characters.length) throw new PatternError('a ) without its (')
    return node
  }

  private readChoice(): PatternNode {
    const options = [this.readSequence()]
    while (this.take('|')) options.push(this.readSequence())
    return options.length === 1 && options[0] ? options[0] : { type: 'choice', options }
  }

  private readSequence(): PatternNode {
    const items: PatternNode[] = []
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')'; next = this.peek()) {
      const item = this.readAtom()
      const repeat = this.readRepeat()
      if (repeat === undefined) items.push(item)
      else if (item.type === 'assertion') throw new PatternError('an anchor cannot be repeated')
      else items.push({ type: 'repeat', item, ...repeat })
    }
    return { type: 'sequence', items }
  }

  private readRepeat(): { least: number; most: number } | undefined {
    const range = this.readRange()
    if (range === undefined) return undefined
    // Whether it is lazy changes what is captured, not whether it matches.
    this.take('?')
    if (this.readRange() !== undefined) throw new PatternError('nothing to repeat')
    return range
  }

  private readRange(): { least: number; most: number } | undefined {
    if (this.take('*')) return { least: 0, most: Infinity }
    if (this.take('+')) return { least: 1, most: Infinity }
    if (this.take('?')) return { least: 0, most: 1 }
    const written = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.characters.slice(this.at, this.at + 12).join(''))
    if (written === null) return undefined
    this.at += written[0].length
    const least = Number(written[1])
    const most = written[2] === undefined ? least : written[3] === '' ? Infinity : Number(written[3])
    if (most < least) throw new PatternError('a repeat whose numbers are out of order')
    if (least > MOST_REPEATS || (most !== Infinity && most > MOST_REPEATS)) {
      throw new PatternError(`more than ${MOST_REPEATS} repeats`)
    }
    return { least, most }
  }

  private readAtom(): PatternNode {
    const character = this.next()
    switch (character) {
      case '^':
        return { type: 'assertion', kind: 'start' }
      case '$':
        return { type: 'assertion', kind: 'end' }
      case '.':
        return this.character((code) => !isLineEnd(code))
      case '(':
        return this.readGroup()
      case '[':
        return this.readClass()
      case '\\':
        return this.readEscape()
      case '*':
      case '+':
      case '?':
        throw new PatternError('nothing to repeat')
      default:
        return this.literal(codeOf(character))
    }
  }

  private readGroup(): PatternNode {
    this.depth += 1
    if (this.depth > DEEPEST_GROUP) throw new PatternError(`groups deeper than ${DEEPEST_GROUP}`)
    if (this.take('?') && !this.take(':')) {
      const name = /^P?<[A-Za-z_]\w{0,63}>/.exec(this.characters.slice(this.at, this.at + 70).join(''))
      if (name === null) throw new PatternError('a group of this kind is not supported')
      this.at += name[0].length
    }
    const node = this.readChoice()
    if (!this.take(')')) throw new PatternError('a ( without its )')
    this.depth -= 1
    return node
  }

  private readEscape(): PatternNode {
    if (this.take('b')) return { type: 'assertion', kind: 'word-border' }
    if (this.take('B')) return { type: 'assertion', kind: 'no-word-border' }
    const escaped = this.readEscaped()
    return typeof escaped === 'number' ? this.literal(escaped) : this.character(escaped)
  }

  /** What stands after a backslash, inside a class or outside: one character, or a class of them. */
  private readEscaped(): number | CharacterTest {
    const character = this.next()
    const known = CLASSES[character] ?? CONTROLS[character]
    if (known !== undefined) return known
    if (character === 'x') return this.readHex(/^[0-9A-Fa-f]{2}/, 2)
    if (character === 'u') {
      return this.take('{') ? this.readHex(/^([0-9A-Fa-f]{1,6})\}/, 7) : this.readHex(/^[0-9A-Fa-f]{4}/, 4)
    }
    if (/[A-Za-z0-9]/.test(character)) throw new PatternError(`\\${character} is not supported`)
    return codeOf(character)
  }

  private readHex(form: RegExp, longest: number): number {
    const found = form.exec(this.characters.slice(this.at, this.at + longest).join(''))
    const code = Number.parseInt(found?.[1] ?? found?.[0] ?? '', 16)
    if (found === null || code > 0x10ffff) throw new PatternError('a \\x or \\u without its digits')
    this.at += found[0].length
    return code
  }

  private readClass(): PatternNode {
    const isNegated = this.take('^')
    const tests: CharacterTest[] = []
    while (!this.take(']')) {
      const from = this.readClassItem()
      if (typeof from === 'function') tests.push(from)
      else if (this.peek() === '-' && this.peek(1) !== ']' && this.peek(1) !== undefined) {
        this.at += 1
        const to = this.readClassItem()
        if (typeof to === 'function' || to < from) throw new PatternError('a range that is out of order')
        tests.push((code) => code >= from && code <= to)
      } else tests.push((code) => code === from)
    }
    const isOneOf: CharacterTest = (code) => tests.some((test) => test(code))
    const anyCase = this.inAnyCase(isOneOf)
    const matches: CharacterTest = isNegated ? (code) => !anyCase(code) : anyCase
    return { type: 'character', matches, cost: this.costOf(tests.length) }
  }

  private readClassItem(): number | CharacterTest {
    const character = this.next()
    if (character !== '\\') return codeOf(character)
    return this.take('b') ? 0x08 : this.readEscaped()
  }

  private literal(expected: number): PatternNode {
    return this.character((code) => code === expected)
  }

  private character(matches: CharacterTest): PatternNode {
    return { type: 'character', matches: this.inAnyCase(matches), cost: this.costOf(1) }
  }

  private costOf(comparisons: number): number {
    return (this.ignoresCase ? 3 : 1) * (comparisons + 1)
  }

  private inAnyCase(matches: CharacterTest): CharacterTest {
    if (!this.ignoresCase) return matches
    return (code) => {
      const character = String.fromCodePoint(code)
      return [character, character.toLowerCase(), character.toUpperCase()].some((form) => matches(codeOf(form)))
    }
  }

  private peek(ahead = 0): string | undefined {
    return this.characters[this.at + ahead]
  }

  private next(): string {
    const character = this.peek()
    if (character === undefined) throw new PatternError('it ends too early')
    this.at += 1
    return character
  }

  private take(character: string): boolean {
    if (this.peek() !== character) return false
    this.at += 1
    return true
  }
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0
const isLineEnd = (code: number): boolean => code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029
const isDigit: CharacterTest = (code) => code >= 0x30 && code <= 0x39
const isSpace: CharacterTest = (code) => /\s/.test(String.fromCodePoint(code))

export const isWord: CharacterTest = (code) =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)

const CLASSES: { readonly [letter: string]: CharacterTest | undefined } = {
  d: isDigit,
  D: (code) => !isDigit(code),
  w: isWord,
  W: (code) => !isWord(code),
  s: isSpace,
  S: (code) => !isSpace(code),
}

const CONTROLS: { readonly [letter: string]: number | undefined } = {
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
  f: 0x0c,
  v: 0x0b,
  '0': 0x00,
}
