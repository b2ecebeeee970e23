import { type Field, knownField } from './field.ts'
import type { WrapperShape } from './wrapper-shapes.ts'

export interface Wrapped {
  /** The command and its arguments. Empty if the wrapper has no command. */
  readonly fields: readonly Field[]
  readonly folder?: Field
  /** Why the start of the command is uncertain. */
  readonly doubt?: string
}

/** Finds the command that a wrapper runs. */
export function findWrapped(args: readonly Field[], shape: WrapperShape): Wrapped {
  const found: { folder?: Field; doubt?: string; split?: Field } = {}
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at]
    if (!arg?.text.startsWith('-') || arg.text === '-') break
    if (arg.text === '--') {
      at++
      break
    }
    const option = arg.text.startsWith('--') ? readLong(arg, shape) : readShort(arg, shape)
    if (option.isUnknown) found.doubt = `the option ${arg.text}`
    const value = option.takesNext ? args[++at] : option.value
    if (option.letter === undefined || value === undefined) continue
    if (option.letter === shape.folderOption) found.folder = value
    if (option.letter === 'S' && shape.valued?.includes('S') && shape.takesAssignments) found.split = value
  }
  const { split, ...others } = found
  if (split) {
    const words = splitPlainly(split)
    if (!words) return { fields: args.slice(at), doubt: 'a string that env splits' }
    return { ...others, ...findWrapped([...words, ...args.slice(at)], shape) }
  }
  if (shape.takesAssignments) while (/^[A-Za-z_]\w*=/.test(args[at]?.text ?? '')) at++
  return { ...others, fields: args.slice(at + (shape.operands ?? 0)) }
}

interface ReadOption {
  readonly letter?: string
  readonly value?: Field
  readonly takesNext?: boolean
  readonly isUnknown?: boolean
}

function readShort(arg: Field, { flags = '', valued = '' }: WrapperShape): ReadOption {
  for (let at = 1; at < arg.text.length; at++) {
    const letter = arg.text[at] ?? ''
    if (valued.includes(letter)) {
      const value = arg.text.slice(at + 1)
      return value === '' ? { letter, takesNext: true } : { letter, value: { ...arg, text: value } }
    }
    if (!flags.includes(letter)) return { isUnknown: true }
  }
  return arg.isKnown ? {} : { isUnknown: true }
}

/** The letter that a long option stands for, where it matters. */
const LETTERS: Readonly<Record<string, string>> = { chdir: 'C', 'split-string': 'S' }

function readLong(arg: Field, { longFlags = [], longValued = [], folderOption }: WrapperShape): ReadOption {
  const [name = '', ...rest] = arg.text.slice(2).split('=')
  const letter = name === 'chdir' ? folderOption : LETTERS[name]
  const value = rest.length > 0 ? { ...arg, text: rest.join('=') } : undefined
  if (longFlags.includes(name)) return {}
  if (!longValued.includes(name)) return { isUnknown: true }
  return { ...(letter === undefined ? {} : { letter }), ...(value ? { value } : { takesNext: true }) }
}

/** `env -S` has its own syntax. Only words without quotes and escapes are read. */
function splitPlainly({ text, isKnown }: Field): readonly Field[] | undefined {
  if (!isKnown || /["'\\$#`]/.test(text)) return undefined
  return text.split(/\s+/).filter(Boolean).map(knownField)
}
