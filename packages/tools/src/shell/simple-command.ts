import type { Field } from './field.ts'

/** One command that would run, at any nesting depth. */
export interface SimpleCommand {
  /** The last part of its path. Empty if there is none, or if it is known only at run time. */
  readonly name: string
  /** The command as it is written, if that is a path: `./build.sh`. */
  readonly path?: string
  readonly args: readonly Field[]
  /** Files that its redirections open for writing, and for reading. */
  readonly written: readonly Field[]
  readonly read: readonly Field[]
  /** Its standard input: a text of the script, the output of another command, a file, or nothing. */
  readonly stdin: 'nothing' | 'pipe' | { readonly text: Field }
  /** The source of further arguments. */
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

/** Whether a long option is present, complete or abbreviated as GNU programs allow. */
export function hasLongFlag(flags: ReadonlySet<string>, name: string, shortest = 3): boolean {
  return [...flags].some((flag) => flag.length >= shortest && name.startsWith(flag))
}

export function operandsOf(args: readonly Field[]): readonly Field[] {
  const end = args.findIndex(({ text }) => text === '--')
  const before = end === -1 ? args : args.slice(0, end)
  const after = end === -1 ? [] : args.slice(end + 1)
  return [...before.filter(({ text }) => !text.startsWith('-') || text === '-'), ...after]
}
