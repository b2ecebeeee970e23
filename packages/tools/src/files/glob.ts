// Globs without regular expressions. A model or a `.gitignore` may contain `**/a/**/a/**/b`. Libraries that translate
// such a pattern into a regular expression need minutes for one name. Here the matcher backtracks only to the newest star,
// which is exact and takes time proportional to pattern × name.
//
// `*` any characters, `?` one, `[a-z]` `[!a-z]` one of a class, `\` takes the next character as it is; `**` as a whole
// part: any number of directories, and at the end whatever is below. `{a,b}` stands for several patterns.

/** Matches the parts of a relative path. */
export type Glob = (names: readonly string[]) => boolean

const MANY = Symbol('any number')
type Piece<Value> = typeof MANY | ((value: Value) => boolean)

const MOST_ALTERNATIVES = 64

/** `undefined` if the braces expand to too many patterns. */
export function compileGlob(pattern: string): Glob | undefined {
  const alternatives = expandBraces(pattern)
  const globs = alternatives?.map(compileOne)
  return globs && ((names) => globs.some((glob) => glob(names)))
}

/** Without braces, which mean nothing in a `.gitignore`. */
export function compileOne(pattern: string): Glob {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.')
  const pieces = parts.flatMap((part, index): Piece<string>[] => {
    if (part !== '**') return [compilePart(part)]
    return index === parts.length - 1 ? [() => true, MANY] : [MANY]
  })
  return (names) => matches(pieces, names)
}

/** Whether a part of a pattern has wildcards. */
export function isMagic(part: string): boolean {
  return /[*?[\\{]/.test(part)
}

function compilePart(part: string): (name: string) => boolean {
  if (!isMagic(part)) return (name) => name === part
  const ending = part.slice(1)
  if (part.startsWith('*') && !isMagic(ending)) return (name) => name.endsWith(ending)
  const pieces = [...readPieces(part)]
  return (name) => matches(pieces, Array.from(name))
}

function matches<Value>(pattern: readonly Piece<Value>[], values: readonly Value[]): boolean {
  let at = 0
  let star = -1
  let retry = 0
  for (let index = 0; index < values.length;) {
    const piece = pattern[at]
    const value = values[index]
    if (piece === MANY) {
      star = at
      retry = index
      at += 1
    } else if (piece !== undefined && value !== undefined && piece(value)) {
      at += 1
      index += 1
    } else if (star !== -1) {
      retry += 1
      at = star + 1
      index = retry
    } else return false
  }
  while (pattern[at] === MANY) at += 1
  return at === pattern.length
}

function* readPieces(part: string): Generator<Piece<string>> {
  const characters = Array.from(part)
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? ''
    const group = character === '[' ? readClass(characters, index) : undefined
    if (group) {
      yield group.isIn
      index = group.end
    } else if (character === '*') yield MANY
    else if (character === '?') yield () => true
    else if (character === '\\' && index + 1 < characters.length) {
      index += 1
      yield isThe(characters[index] ?? '')
    } else yield isThe(character)
  }
}

function isThe(character: string): (value: string) => boolean {
  return (value) => value === character
}

/** `undefined` if the class has no end. */
function readClass(
  characters: readonly string[],
  start: number,
): { readonly isIn: (value: string) => boolean; readonly end: number } | undefined {
  let index = start + 1
  const isNegated = characters[index] === '!' || characters[index] === '^'
  if (isNegated) index += 1
  const ranges: (readonly [string, string])[] = []
  for (const first = index; index < characters.length; index += 1) {
    if (characters[index] === ']' && index > first) {
      const isIn = (value: string): boolean => ranges.some(([from, to]) => from <= value && value <= to) !== isNegated
      return { isIn, end: index }
    }
    if (characters[index] === '\\') index += 1
    const from = characters[index] ?? ''
    const isRange = characters[index + 1] === '-' && (characters[index + 2] ?? ']') !== ']'
    if (isRange) index += 2
    ranges.push([from, characters[index] ?? ''])
  }
  return undefined
}

function expandBraces(pattern: string): readonly string[] | undefined {
  const done: string[] = []
  const waiting = [pattern]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const braces = findBraces(next)
    if (!braces) done.push(next)
    else for (const option of braces.options) waiting.push(braces.before + option + braces.after)
    if (done.length + waiting.length > MOST_ALTERNATIVES) return undefined
  }
  return done
}

interface Braces {
  readonly before: string
  readonly options: readonly string[]
  readonly after: string
}

/** The first braces that contain a comma at their own level. */
function findBraces(pattern: string): Braces | undefined {
  for (let start = pattern.indexOf('{'); start !== -1; start = pattern.indexOf('{', start + 1)) {
    const braces = isEscaped(pattern, start) ? undefined : readBraces(pattern, start)
    if (braces) return braces
  }
  return undefined
}

function readBraces(pattern: string, start: number): Braces | undefined {
  const options: string[] = []
  let depth = 0
  let from = start + 1
  for (let index = from; index < pattern.length; index += 1) {
    const character = pattern[index]
    if (character === '\\') index += 1
    else if (character === '{') depth += 1
    else if (character === ',' && depth === 0) {
      options.push(pattern.slice(from, index))
      from = index + 1
    } else if (character === '}') {
      if (depth === 0 && options.length === 0) return undefined
      if (depth === 0) {
        options.push(pattern.slice(from, index))
        return { before: pattern.slice(0, start), options, after: pattern.slice(index + 1) }
      }
      depth -= 1
    }
  }
  return undefined
}

function isEscaped(pattern: string, index: number): boolean {
  let backslashes = 0
  while (pattern[index - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}
