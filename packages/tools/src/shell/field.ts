// A field is one argument as the command will get it, as far as the text shows: without quotes, with braces and the home
// directory expanded. Parts that are known only at run time are UNKNOWN. Variables that the same script assigns are
// inserted too, but such a field stays "not known": a value may add suspicion, never remove it.
import type { DoubleQuotedChild, ParameterExpansionPart, Word, WordPart } from 'unbash'
import { expandBraces } from './expand-braces.ts'

/** Stands for text that is known only at run time. No command contains it. */
export const UNKNOWN = '\0'
/** Where an unquoted value is split into fields. */
const GAP = '\u0001'
const MOST_FIELDS = 64

export interface Field {
  readonly text: string
  /** The text is exactly the argument, except for globs. */
  readonly isKnown: boolean
  readonly hasGlob: boolean
}

export interface WordContext {
  readonly home: string
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Called with each part that could not be read. */
  doubt(reason: string): void
}

export function knownField(text: string): Field {
  return { text, isKnown: true, hasGlob: false }
}

export function expandWord(word: Word, context: WordContext): readonly Field[] {
  const { pos, end, text, value } = word
  const parts = word.parts ?? [{ type: 'Literal' as const, pos, end, text, value }]
  const fields = parts.reduce<Field[]>(
    (sofar, part, index) => combine(sofar, readPart(part, index === 0, context), context),
    [knownField('')],
  )
  const isQuoted = word.parts ? word.parts.some(({ type }) => QUOTED.has(type)) : text !== ''
  // An empty unquoted word is not a field: `{,rm} x` runs rm.
  return fields.flatMap(splitAtGaps).filter((field) => field.text !== '' || isQuoted)
}

const QUOTED: ReadonlySet<string> = new Set(['SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'LocaleString'])

function readPart(part: WordPart, isFirst: boolean, context: WordContext): readonly Field[] {
  switch (part.type) {
    case 'Literal':
      return [isFirst ? withHome(part.text, part.value, context) : knownField(part.value)]
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [knownField(part.value)]
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.reduce<Field[]>(
        (sofar, child) => combine(sofar, readQuoted(child, context), context),
        [knownField('')],
      )
    case 'Glob':
    case 'ExtendedGlob':
      return [{ text: part.text, isKnown: true, hasGlob: true }]
    case 'BraceExpansion': {
      const words = expandBraces(part.text)
      if (words) {
        return words
          .map((text) => (isFirst ? withHome(text, text, context) : knownField(text)))
          .map((field) => ({ ...field, hasGlob: /[*?[]/.test(field.text) }))
      }
      context.doubt('a brace expansion')
      return [unknownField()]
    }
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return valuesOf(part, context).map((text) => ({
        text: text.replace(/[ \t\n]+/g, GAP),
        isKnown: false,
        hasGlob: false,
      }))
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      return [unknownField()]
    default:
      context.doubt('an unknown part of a word')
      return [unknownField()]
  }
}

function readQuoted(child: DoubleQuotedChild, context: WordContext): readonly Field[] {
  if (child.type === 'Literal') return [knownField(child.value)]
  if (child.type !== 'SimpleExpansion' && child.type !== 'ParameterExpansion') return [unknownField()]
  return valuesOf(child, context).map((text) => ({ text, isKnown: false, hasGlob: false }))
}

function valuesOf(
  part: ParameterExpansionPart | (WordPart & { readonly type: 'SimpleExpansion' }),
  context: WordContext,
): readonly string[] {
  if (part.type === 'SimpleExpansion') return valuesOfName(part.text.slice(1), context)
  const { operation, parameter, prefix, index } = part
  if (operation?.type === 'Unknown') context.doubt('an unknown expansion')
  if (operation?.type === 'Transform') context.doubt('an expansion that may run its value')
  if (prefix !== undefined || index !== undefined) return [UNKNOWN]
  if (!operation) return valuesOfName(parameter, context)
  if (operation.type !== 'Default') return [UNKNOWN]
  const operand = expandWord(operation.operand, context).map((field) => field.text)
  return [...valuesOfName(parameter, context), ...operand]
}

function valuesOfName(name: string, { home, variables }: WordContext): readonly string[] {
  const assigned = variables.get(name) ?? []
  return name === 'HOME' ? [home, ...assigned] : assigned.length > 0 ? assigned : [UNKNOWN]
}

/** `~`, `~/x` and `~user/x` where the tilde is not quoted. */
function withHome(text: string, value: string, { home }: WordContext): Field {
  if (!text.startsWith('~')) return knownField(value)
  const end = value.indexOf('/')
  const user = value.slice(1, end === -1 ? undefined : end)
  const rest = end === -1 ? '' : value.slice(end)
  if (user === '') return knownField(home + rest)
  if (user === '+' || user === '-') return { text: UNKNOWN + rest, isKnown: false, hasGlob: false }
  return knownField((user === 'root' ? '/root' : `/home/${user}`) + rest)
}

function combine(left: readonly Field[], right: readonly Field[], context: WordContext): Field[] {
  const both = left.flatMap((before) =>
    right.map((after) => ({
      text: before.text + after.text,
      isKnown: before.isKnown && after.isKnown,
      hasGlob: before.hasGlob || after.hasGlob,
    })),
  )
  if (both.length <= MOST_FIELDS) return both
  context.doubt('a word that makes too many')
  return both.slice(0, MOST_FIELDS)
}

function splitAtGaps(field: Field): readonly Field[] {
  if (!field.text.includes(GAP)) return [field]
  return field.text
    .split(GAP)
    .filter((text) => text !== '')
    .map((text) => ({ ...field, text }))
}

function unknownField(): Field {
  return { text: UNKNOWN, isKnown: false, hasGlob: false }
}
