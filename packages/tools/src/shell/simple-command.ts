import type { Field } from './field.ts'

/** One command at a place where it would be run, however deep inside of others. */
export interface SimpleCommand {
  /** The last part of its path; empty when there is none, or only the run shows it. */
  readonly name: string
  readonly args: readonly Field[]
  /** Files that its redirections open for writing, and for reading. */
  readonly written: readonly Field[]
  readonly read: readonly Field[]
  /** What comes in: a text of the script, the output of another command or a file, or nothing. */
  readonly stdin: 'nothing' | 'pipe' | { readonly text: Field }
  /** Who gives it more arguments than are written here. */
  readonly fedBy: 'nobody' | 'find' | 'xargs'
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Options before `--`, as letters and as names: `-rf --force` gives `r`, `f`, `force`. */
export function flagsOf(args: readonly Field[]): ReadonlySet<string> {
  const flags = new Set<string>()
  for (const { text } of args) {
    if (text === '--') break
    if (text.startsWith('--')) flags.add(text.slice(2).split('=')[0] ?? '')
    else if (text.startsWith('-')) for (const letter of text.slice(1)) flags.add(letter)
  }
  return flags
}

/** Whether a long option is given, whole or shortened as GNU programs allow. */
export function hasLongFlag(flags: ReadonlySet<string>, name: string, shortest = 3): boolean {
  return [...flags].some((flag) => flag.length >= shortest && name.startsWith(flag))
}

export function operandsOf(args: readonly Field[]): readonly Field[] {
  const end = args.findIndex(({ text }) => text === '--')
  const before = end === -1 ? args : args.slice(0, end)
  const after = end === -1 ? [] : args.slice(end + 1)
  return [...before.filter(({ text }) => !text.startsWith('-') || text === '-'), ...after]
}
