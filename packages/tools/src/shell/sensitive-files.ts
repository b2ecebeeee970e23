import type { Field } from './field.ts'
import { matchesGlob } from './matches-glob.ts'
import { type PathContext, pathsOf } from './paths.ts'
import { type SimpleCommand, baseName, flagsOf, hasLongFlag, operandsOf } from './simple-command.ts'

/** Files of a home directory that shells run, or that hold credentials. */
const NAMES = [
  '.bashrc .zshrc .profile .bash_profile .zprofile .netrc .pgpass .npmrc .pypirc',
  '.bash_login .bash_logout .bash_aliases .zshenv .zlogin .gitconfig .git-credentials',
  '.ssh/authorized_keys .ssh/config .ssh/rc .aws/credentials .docker/config.json .kube/config',
].flatMap((line) => line.split(' '))

/** Commands that change the files they name. */
const CHANGERS: ReadonlySet<string> = new Set('tee cp mv install ln rsync truncate patch ed ex'.split(' '))

export function touchesSensitiveFile(command: SimpleCommand, context: PathContext): boolean {
  return changedBy(command).some((field) => pathsOf(field, context).some((path) => isSensitive(path, context)))
}

function changedBy({ name, args, written }: SimpleCommand): readonly Field[] {
  if (name === 'sed' || name === 'perl') return [...written, ...(editsInPlace(args) ? operandsOf(args) : [])]
  if (name === 'dd') return [...written, ...args.map((arg) => ({ ...arg, text: arg.text.replace(/^of=/, '') }))]
  if (!CHANGERS.has(name)) return written
  const operands = operandsOf(args)
  const named = targetFolder(args)
  const folders = [...(named ? [named] : []), ...operands.slice(-1)]
  const intoFolder = folders.flatMap((folder) =>
    operands.map(({ text }) => ({ ...folder, text: `${folder.text}/${baseName(text)}` })),
  )
  return [...written, ...operands, ...intoFolder]
}

/** `-t x`, `-tx`, `--target-directory=x` */
function targetFolder(args: readonly Field[]): Field | undefined {
  const at = args.findIndex(({ text }) => /^(?:-[a-zA-Z]*t|--target-directory(?:=|$))/.test(text))
  const option = args[at]
  if (!option) return undefined
  const text = option.text.replace(/^(?:-[a-zA-Z]*?t|--target-directory=?)/, '')
  return text === '' ? args[at + 1] : { ...option, text }
}

function editsInPlace(args: readonly Field[]): boolean {
  const flags = flagsOf(args)
  return flags.has('i') || flags.has('I') || hasLongFlag(flags, 'in-place', 2)
}

function isSensitive(path: string, { home }: PathContext): boolean {
  if (!/\/\.|[*?[]/.test(path)) return false
  return [home, '/root', '/home/*', '/Users/*'].some((folder) =>
    NAMES.some((name) => matchesEither(path, `${folder}/${name}`)),
  )
}

/** Both may be globs: `~/.bash*` and `/home/*` name many. */
function matchesEither(path: string, pattern: string): boolean {
  return matchesGlob(path, pattern) || matchesGlob(pattern, path)
}
