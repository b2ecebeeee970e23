// Commands that need no approval: they read the workspace and print. A command is safe only if all its options are known
// and everything that it names or walks is in the workspace.
import type { Command, ParsedScript, Word } from 'unbash'
import { isBelow, isWithin } from '../protected/path-order.ts'
import type { ProtectedView } from '../protected/protected-set.ts'
import { type Field, type WordContext, expandWord } from './field.ts'
import { KNOWN_COMMANDS, type KnownCommand } from './known-commands.ts'
import { type ReadOptions, readOptions } from './known-options.ts'
import { type PathContext, pathsOf } from './paths.ts'

export interface SafetyContext extends PathContext {
  readonly view: ProtectedView
  readonly roots: readonly string[]
  readonly readable: readonly string[]
  readonly isConfined: boolean
  readonly follow?: (path: string) => string | undefined
  /** Default: no path is a folder. */
  readonly isFolder?: (path: string) => boolean
}

const SPECIAL = /[;&|`$<>\n\r]/

export function isSafeCommand(source: string, script: ParsedScript, context: SafetyContext): boolean {
  if (SPECIAL.test(source)) return false
  const command = onlyCommand(script)
  if (!command?.name || command.prefix.length > 0 || command.redirects.length > 0) return false
  const words = [command.name, ...command.args]
  if (!words.every((word): word is Word => word.type === 'Word')) return false
  const known = KNOWN_COMMANDS.find((one) => startsWithWords(words, one.words.split(' ')))
  if (!known || (known.isMachineWide === true && !context.isConfined)) return false
  const args = words.slice(known.words.split(' ').length).flatMap((word) => expandWord(word, wordsOf(context)))
  if (args.some(({ isKnown }) => !isKnown)) return false
  // `git log *` takes a file named `--output=x` for an option.
  if (args.some(mayBecomeOption)) return false
  const options = readOptions(args, known.options)
  return options !== undefined && staysInside(known, options, context)
}

function onlyCommand({ commands, errors }: ParsedScript): Command | undefined {
  const [statement, ...others] = commands
  if (!statement || others.length > 0 || errors !== undefined || statement.background) return undefined
  return statement.command.type === 'Command' ? statement.command : undefined
}

/** Compared as written: `l""s` and `./ls` are not on the list. */
function startsWithWords(words: readonly Word[], expected: readonly string[]): boolean {
  return expected.every((text, index) => words[index]?.text === text)
}

function mayBecomeOption({ text, hasGlob }: Field): boolean {
  return hasGlob && /^[*?[!@+]/.test(text)
}

function staysInside(known: KnownCommand, options: ReadOptions, context: SafetyContext): boolean {
  const { operands } = options
  switch (known.operands) {
    case 'words': {
      const { shape = /^[\w.@+:=-]*$/ } = known
      return operands.every(({ text, hasGlob }) => !hasGlob && shape.test(text))
    }
    case 'texts':
      // A glob prints names of files.
      return operands.filter(({ hasGlob }) => hasGlob).every((field) => isInside(field, context))
    case 'git':
      return operands.every((field) => isInside(field, context))
    case 'paths':
    case 'pattern': {
      const hasPattern = options.letters.has('e') || options.names.has('regexp')
      // A glob in place of the pattern expands to files, and all but the first are read.
      const isPattern = known.operands === 'pattern' && !hasPattern && operands[0]?.hasGlob !== true
      const paths = isPattern ? operands.slice(1) : operands
      return (
        !mayReadTwin(known, { operands: paths, options }, context) &&
        paths.every((field) => isInside(field, context)) &&
        walksInside(known, { operands: paths, options }, context)
      )
    }
  }
}

/** Checks every path that the field may mean, by name and through links. */
function isInside(field: Field, context: SafetyContext): boolean {
  if (field.text === '-' || field.text === '' || field.text === '/dev/null') return true
  // A glob may match a link.
  if (field.hasGlob && !context.isConfined) return false
  const paths = pathsOf(field, context)
  const led = field.hasGlob ? [] : realPathsOf(field, context)
  return [...paths, ...led].every((path) => isOwn(path, context))
}

function isOwn(path: string, { roots, readable, folders }: SafetyContext): boolean {
  const own = [...(roots.length === 0 ? folders : roots), ...readable]
  return own.some((folder) => isWithin(path, folder))
}

/** Resolves the path as written: `link/..` is the parent of the link's target, not of the link. */
function realPathsOf({ text }: Field, { folders, follow }: SafetyContext): readonly string[] {
  if (follow === undefined) return []
  const paths = text.startsWith('/') ? [text] : folders.map((folder) => `${folder}/${text}`)
  return paths.flatMap((path) => follow(path) ?? [])
}

interface Walk {
  readonly operands: readonly Field[]
  readonly options: ReadOptions
}

const isWalking = ({ walks = [] }: KnownCommand, { letters, names }: ReadOptions): boolean =>
  walks === 'always' || walks.some((option) => letters.has(option) || names.has(option))

/** These print names and sizes only. */
const PRINTS_NAMES: ReadonlySet<string> = new Set(['ls', 'du'])

/** A file of the server can have a second name in the workspace. A walk or a glob finds it, also in a sandbox. */
function mayReadTwin(known: KnownCommand, { operands, options }: Walk, context: SafetyContext): boolean {
  if (PRINTS_NAMES.has(known.words)) return false
  const isSearching = isWalking(known, options) || known.readsFolders === true || operands.some((one) => one.hasGlob)
  return isSearching && context.view.hasSecretTwin()
}

/** In a sandbox a walk finds nothing that is protected. */
function walksInside(known: KnownCommand, { operands, options }: Walk, context: SafetyContext): boolean {
  const { isConfined, folders, follow, isFolder = () => false, view } = context
  if (isConfined) return true
  const paths = operands.flatMap((one) => pathsOf(one, context)).map((path) => follow?.(path) ?? path)
  if (known.readsFolders === true && paths.some(isFolder)) return false
  const starts = paths.length === 0 ? folders : paths
  return !isWalking(known, options) || starts.every((start) => !view.entries.some(({ path }) => isBelow(path, start)))
}

function wordsOf({ home }: PathContext): WordContext {
  return { home, variables: new Map(), doubt: () => {} }
}
