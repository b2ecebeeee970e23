// Regular expressions that take quadratic time. Where a text is long, such as a message or a file of a repository, one
// stops the server. Each is tried on texts made of its own pieces, repeated, because nothing else finds its weakness.
import { Script, createContext } from 'node:vm'
import { type House, isTest } from './house.ts'

/** For eight times the text a linear pattern takes eight times as long, a quadratic one sixty-four times. */
const LENGTHS = { first: 8_000, short: 16_000, long: 128_000 }
const SUSPICIOUS_MS = 1
const MOST_GROWTH = 24
/** The system counts CPU time in steps. */
const LEAST_MS = 10
const DEADLINE_MS = 1_000

export function findSlowPatterns(house: House): string[] {
  const tried = new Map<string, string | undefined>()
  return house.files.flatMap(({ path, patterns }) => {
    if (isTest(path) || !isShipped(path)) return []
    return patterns.flatMap(({ source, flags, line }) => {
      const key = `/${source}/${flags}`
      if (!tried.has(key)) tried.set(key, findWeakness(source, flags))
      const weakness = tried.get(key)
      return weakness === undefined ? [] : [`${path}:${line} ${key} is slow for ${weakness}`]
    })
  })
}

/** Benchmarks read only what they wrote. */
const isShipped = (path: string): boolean => /^(?:apps|packages)\/(?!cli\/src\/bench\/)/.test(path)

function findWeakness(source: string, flags: string): string | undefined {
  const watch = createWatch(new RegExp(source, flags))
  const weaknesses = [...weaknessesOf(source)]
  const times = watch(weaknesses.map((weakness) => textOf(weakness, LENGTHS.first)))
  const suspicious = weaknesses.filter((_, index) => (times[index]?.ms ?? Infinity) > SUSPICIOUS_MS)
  const found = suspicious.find((weakness) => {
    const cpuMsFor = (length: number): number => watch([textOf(weakness, length)])[0]?.cpuMs ?? Infinity
    const isSlow = (): boolean => {
      const short = cpuMsFor(LENGTHS.short)
      return short === Infinity || cpuMsFor(LENGTHS.long) > MOST_GROWTH * Math.max(LEAST_MS, short)
    }
    // Something else may have had the thread once.
    return isSlow() && isSlow()
  })
  if (found === undefined) return undefined
  const [before, repeated, after] = [found.before, found.repeated, found.after].map((part) => JSON.stringify(part))
  return `${before}, then many of ${repeated}, then ${after}`
}

interface Time {
  readonly ms: number
  readonly cpuMs: number
}

/** Measures how long a pattern takes for each text. It ends at the deadline: there are patterns that never do. */
function createWatch(pattern: RegExp): (texts: readonly string[]) => readonly Time[] {
  const times: Time[] = []
  const place = createContext({ pattern, times, texts: [], now: () => performance.now(), cpuMs })
  const script = new Script(`for (const text of texts) {
    const startedAt = now(), before = cpuMs()
    text.replace(pattern, '')
    times.push({ ms: now() - startedAt, cpuMs: cpuMs() - before })
  }`)
  return (texts) => {
    times.length = 0
    place['texts'] = texts
    try {
      script.runInContext(place, { timeout: DEADLINE_MS })
    } catch {
      // The texts that are left count as slow.
    }
    return [...times]
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

interface Weakness {
  readonly before: string
  readonly repeated: string
  readonly after: string
}

const textOf = ({ before, repeated, after }: Weakness, length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + after

function* weaknessesOf(source: string): Generator<Weakness> {
  const atoms = readAtoms(source)
  const befores = new Set([''])
  let matched = ''
  for (const { examples, least } of atoms) befores.add((matched += (examples[0] ?? '').repeat(Math.max(1, least))))
  const repeats = new Set<string>(atoms.flatMap(({ examples }) => examples))
  for (const [index, { examples }] of atoms.entries()) {
    const next = atoms[index + 1]
    for (const one of examples)
      for (const other of next?.examples ?? []) repeats.add(one + other.repeat(Math.max(1, next?.least ?? 1)))
  }
  for (const before of [...befores].slice(0, MOST_BEFORES))
    for (const repeated of repeats) for (const after of ['\u0001', '']) yield { before, repeated, after }
}

const MOST_BEFORES = 8

interface Atom {
  /** Texts that it matches. */
  readonly examples: readonly string[]
  /** How often it must occur. */
  readonly least: number
}

const OF_CLASS: Readonly<Record<string, string>> = { s: ' ', S: 'a', d: '0', D: 'a', w: 'a', W: ' ', n: '\n', t: '\t' }
const TOKEN =
  /\\[pP]\{[^}]+\}|\\u\{[^}]+\}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<\w+>)|[()|^$*+?]|\{\d+(?:,\d*)?\}|[^]/gu

/** Its literals (runs of them as one), classes and dots, in order. Groups, alternatives and assertions are not looked at. */
function readAtoms(source: string): readonly Atom[] {
  const atoms: { examples: string[]; least: number; isLiteral?: boolean }[] = []
  for (const [token] of source.matchAll(TOKEN)) {
    const last = atoms.at(-1)
    const times = /^\{(\d+)/.exec(token)?.[1]
    if (times !== undefined && last) last.least = Number(times)
    else if (/^(?:[()|^$*+?]|\(\?)/.test(token)) {
      if (last) delete last.isLiteral
    } else if (token.startsWith('[')) atoms.push({ examples: examplesOfClass(token), least: 1 })
    else if (token === '\\s') atoms.push({ examples: [' ', '\n'], least: 1 })
    else if (token === '.') atoms.push({ examples: ['a'], least: 1 })
    else if (/^\\[bB1-9k]/.test(token)) continue
    else {
      const text = textOfToken(token)
      if (last?.isLiteral) last.examples[0] += text
      else atoms.push({ examples: [text], least: 1, isLiteral: !token.startsWith('\\') || /^\\\W/.test(token) })
    }
  }
  return atoms
}

function examplesOfClass(token: string): string[] {
  if (token.startsWith('[^')) return ['a', ' ', '['].filter((one) => new RegExp(token, 'u').test(one))
  const members = [...token.slice(1, -1).matchAll(/\\[pP]\{[^}]+\}|\\u\{[^}]+\}|\\[^]|[^]/gu)].map(([one]) =>
    textOfToken(one),
  )
  return [...new Set(members)].slice(0, MOST_MEMBERS)
}

const MOST_MEMBERS = 12

function textOfToken(token: string): string {
  if (/^\\[pP]/.test(token)) return token.includes('Han') ? '中' : 'a'
  if (token.startsWith('\\u{')) return String.fromCodePoint(Number.parseInt(token.slice(3, -1), 16))
  return token.startsWith('\\') ? (OF_CLASS[token[1] ?? ''] ?? token.slice(1)) : token
}
