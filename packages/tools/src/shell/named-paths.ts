// The paths that a command names, as far as its text shows: arguments, redirections, values of options, and what looks
// like a path inside longer texts such as scripts for an interpreter.
import type { Access } from '../protected/protected-set.ts'
import { type Field, UNKNOWN } from './field.ts'
import { type PathContext, pathsOf } from './paths.ts'
import { SHELL_LIMITS } from './shell-limits.ts'
import { type SimpleCommand, baseName, flagsOf, hasLongFlag, operandsOf } from './simple-command.ts'

export interface NamedPath {
  /** Absolute; it may hold globs. Links are not resolved. */
  readonly path: string
  readonly access: Access
}

const words = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')))

/** Commands that only read the files they name. For others, a named file counts as written. */
const READERS = words(
  'cat tac ls dir head tail wc grep egrep fgrep rg ag diff cmp comm file stat less more od xxd hexdump strings sort uniq',
  'cut paste fold nl rev tr awk gawk mawk column jq yq tree du df test [ [[ readlink realpath basename dirname md5sum',
  'sha1sum sha256sum sha512sum cksum b2sum base64 base32 zcat bzcat xzcat gunzip zgrep source . echo printf cd pushd',
  'git bat fd fdfind locate which type command pwd ps id date true false ping ssh scp curl wget tar zip gzip',
)

/** Commands that change the files they name, or put files of the same names into a folder. */
const CHANGERS = words(
  'tee cp mv install ln rsync truncate patch ed ex rm rmdir unlink shred touch mkdir chmod chown chgrp',
)

/** `undefined` if there are more than `SHELL_LIMITS.paths`. */
export function findNamedPaths(
  commands: readonly SimpleCommand[],
  context: PathContext,
): readonly NamedPath[] | undefined {
  const found = new Map<string, NamedPath>()
  const add = (fields: readonly Field[], access: Access): void => {
    for (const field of fields) {
      if (found.size > SHELL_LIMITS.paths) return
      for (const path of pathsOf(field, context)) {
        if (path.includes(UNKNOWN) || found.get(path)?.access === 'write') continue
        found.set(path, { path, access })
      }
    }
  }
  for (const command of commands) {
    add(changedBy(command), 'write')
    add(command.read, 'read')
    const named = command.args.flatMap((arg) => partsThatMayBePaths(arg, context))
    add(named, READERS.has(command.name) || isInPlaceEditor(command.name) ? 'read' : 'write')
    add(gitSettingsOf(command), 'write')
  }
  return found.size > SHELL_LIMITS.paths ? undefined : [...found.values()]
}

export function changedBy(command: SimpleCommand): readonly Field[] {
  const { name, args, written } = command
  if (isInPlaceEditor(name)) return [...written, ...(editsInPlace(args) ? operandsOf(args) : [])]
  if (name === 'dd') return [...written, ...args.flatMap((arg) => valueOf(arg, 'of='))]
  if (name === 'find') return [...written, ...args]
  if (!CHANGERS.has(name)) return written
  const operands = operandsOf(args)
  const named = targetFolder(args)
  const folders = [...(named ? [named] : []), ...operands.slice(-1)]
  const intoFolder = folders.flatMap((folder) =>
    operands.map(({ text }) => ({ ...folder, text: `${folder.text}/${baseName(text)}` })),
  )
  return [...written, ...operands, ...(named ? [named] : []), ...intoFolder]
}

const isInPlaceEditor = (name: string): boolean => name === 'sed' || name === 'perl'

function valueOf(arg: Field, prefix: string): readonly Field[] {
  return arg.text.startsWith(prefix) ? [{ ...arg, text: arg.text.slice(prefix.length) }] : []
}

/** `-t x`, `-tx`, `--target-directory=x`, and every beginning of that name */
export function targetFolder(args: readonly Field[]): Field | undefined {
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*t/.test(text) || isTargetOption(text))
  const option = args[at]
  if (!option) return undefined
  const text = option.text.replace(/^(?:-[a-zA-Z]*?t|--t[a-z-]*=?)/, '')
  return text === '' ? args[at + 1] : { ...option, text }
}

function isTargetOption(text: string): boolean {
  const [, name] = /^--(t[a-z-]*)(?:=|$)/.exec(text) ?? []
  return name !== undefined && 'target-directory'.startsWith(name)
}

function editsInPlace(args: readonly Field[]): boolean {
  const flags = flagsOf(args)
  return flags.has('i') || flags.has('I') || hasLongFlag(flags, 'in-place', 2)
}

/** Paths inside a longer text: a script, a URL of a file, a list with colons. */
const INNER_PATH = /(?:~|\$HOME|\$\{HOME\})?\/[\w.@%+~*?[\]-][\w.@%+~*?[\]/-]*/g
const MOST_INNER = 200

/** `x`, `--file=x`, `-f/x`, `a:b`, and paths inside a text. */
function partsThatMayBePaths(arg: Field, { home }: PathContext): readonly Field[] {
  const { text } = arg
  const starts = [0, text.indexOf('=') + 1, text.startsWith('-') ? text.indexOf('/') : 0, text.startsWith('@') ? 1 : 0]
  const whole = [...new Set(starts)].filter((start) => start >= 0).map((start) => text.slice(start))
  const inner = [...text.matchAll(INNER_PATH)]
    .slice(0, MOST_INNER)
    .map(([path]) => path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, home))
  return [...new Set([...whole, ...inner])].map((part) => ({ ...arg, text: part }))
}

/** Verbs of Git that write its settings, which name programs to run. */
const SETTING_VERBS = words('remote submodule lfs maintenance sparse-checkout')
const TRACKING = /^(?:-u|-t|--set-upstream(?:-to)?(?:=.*)?|--track(?:=.*)?|--unset-upstream)$/

function gitSettingsOf({ name, args }: SimpleCommand): readonly Field[] {
  if (name !== 'git') return []
  const [verb, ...rest] = operandsOf(args)
  if (verb === undefined) return []
  const isReading = rest.length === 0 || args.some(({ text }) => /^(?:--get.*|--list|-l)$/.test(text))
  const writes =
    (verb.text === 'config' && !isReading) ||
    SETTING_VERBS.has(verb.text) ||
    (/^(?:push|branch|checkout|switch)$/.test(verb.text) && args.some(({ text }) => TRACKING.test(text)))
  return writes ? [{ text: '.git/config', isKnown: true, hasGlob: false }] : []
}
