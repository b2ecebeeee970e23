// Which options of a command are known to do nothing but read and print. Programs accept abbreviations, combined options and
// options that change the meaning of the next one. An option that is not written as below is unknown.
import type { Field } from './field.ts'

export interface KnownOptions {
  /** Letters that take no value: `-la`. */
  readonly flags?: string
  /** Letters that take a number or a plain word, attached or as the next argument: `-n 5`, `-n5`. */
  readonly numbers?: string
  /** Letters that take a text, such as a pattern. */
  readonly texts?: string
  /** Letters that may take a word, which must be attached: `-uno`. */
  readonly attached?: string
  /** `-5` */
  readonly takesCount?: boolean
  /** Long options without a value. */
  readonly long?: readonly string[]
  /** Long options whose value must be written as `--name=value`, and what it may look like. */
  readonly valued?: Readonly<Record<string, RegExp>>
}

export interface ReadOptions {
  readonly letters: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly operands: readonly Field[]
}

export const NUMBER = /^\+?\d{1,9}$/
/** Not a path, and nothing that a program could read as an option. */
export const PLAIN_WORD = /^[\w.,:%+^~@-]{1,100}$/
export const ANY_TEXT = /^[^]{0,1000}$/
const AMOUNT = /^[+-]?\d{1,12}[kKMGT]?[iB]{0,2}$/

/** `undefined` if an option is unknown. */
export function readOptions(args: readonly Field[], known: KnownOptions): ReadOptions | undefined {
  const letters = new Set<string>()
  const names = new Set<string>()
  const operands: Field[] = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]
    if (arg === undefined) break
    const { text } = arg
    if (text === '--') {
      operands.push(...args.slice(at + 1))
      break
    }
    if (!text.startsWith('-') || text === '-') {
      operands.push(arg)
      continue
    }
    // After the equals sign, a glob can only change the value of this option.
    if (arg.hasGlob && !/^--[a-z-]+=/.test(text)) return undefined
    if (text.startsWith('--')) {
      const name = readLong(text.slice(2), known)
      if (name === undefined) return undefined
      names.add(name)
      continue
    }
    if (known.takesCount === true && /^-\d{1,9}$/.test(text)) continue
    const cluster = readCluster(text.slice(1), args[at + 1], known)
    if (cluster === undefined) return undefined
    for (const letter of cluster.letters) letters.add(letter)
    if (cluster.takesNext) at += 1
  }
  return { letters, names, operands }
}

function readLong(option: string, { long = [], valued = {} }: KnownOptions): string | undefined {
  const equals = option.indexOf('=')
  if (equals === -1) return long.includes(option) ? option : undefined
  const name = option.slice(0, equals)
  const shape = Object.hasOwn(valued, name) ? valued[name] : undefined
  return shape?.test(option.slice(equals + 1)) === true ? name : undefined
}

interface Cluster {
  readonly letters: readonly string[]
  readonly takesNext: boolean
}

function readCluster(
  cluster: string,
  next: Field | undefined,
  { flags = '', numbers = '', texts = '', attached = '' }: KnownOptions,
): Cluster | undefined {
  const letters: string[] = []
  for (let at = 0; at < cluster.length; at += 1) {
    const letter = cluster[at] ?? ''
    letters.push(letter)
    if (flags.includes(letter)) continue
    const rest = cluster.slice(at + 1)
    if (attached.includes(letter)) return /^[a-z]*$/.test(rest) ? { letters, takesNext: false } : undefined
    const shape = numbers.includes(letter) ? AMOUNT : texts.includes(letter) ? ANY_TEXT : undefined
    const value = rest === '' ? next : { text: rest, hasGlob: false }
    if (shape === undefined || value === undefined || value.hasGlob || !shape.test(value.text)) return undefined
    // The program might not read it as the value, so it must not be an option.
    if (rest === '' && value.text.startsWith('-')) return undefined
    return { letters, takesNext: rest === '' }
  }
  return { letters, takesNext: false }
}
