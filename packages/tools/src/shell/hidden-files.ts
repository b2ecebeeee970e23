// Which files a command on the safe list must not show unasked: those of hidden folders, those that hold credentials,
// and those in which processes show their environments.
import type { Field } from './field.ts'
import { matchesGlob } from './matches-glob.ts'
import { type PathContext, pathsOf } from './paths.ts'
import { operandsOf } from './simple-command.ts'

export interface HiddenContext extends PathContext {
  readonly hidden: readonly string[]
  /** A workspace in a hidden folder is not hidden. */
  readonly roots: readonly string[]
  /** Where links lead; `undefined` for a path that leads nowhere. Absent: what is named is what is read. */
  readonly follow?: (path: string) => string | undefined
}

export interface ReadingManner {
  /** It reads all that is below a folder, and below the working directory if it names none. */
  readonly readsTrees: boolean
  /** It follows the links that it finds there. */
  readonly followsLinks: boolean
}

const TELLTALE_FOLDER = /^\/(?:proc|sys|dev)(?:\/|$)/
const CREDENTIALS = '.ssh .gnupg .aws .azure .kube .docker .netrc .pgpass .npmrc .pypirc .git-credentials'.split(' ')

export function showsHidden(args: readonly Field[], manner: ReadingManner, context: HiddenContext): boolean {
  const { readsTrees, followsLinks } = manner
  const fields = args.flatMap(partsThatMayBePaths)
  // Whatever a glob or a tree holds may be a link.
  if (context.follow && (followsLinks || fields.some(({ hasGlob }) => hasGlob))) return true
  const named = fields.flatMap((field) => pathsOf(field, context))
  const led = fields.flatMap((field) => realPathsOf(field, context))
  // The first operand is the pattern.
  const readsHere = readsTrees && operandsOf(args).length < 2
  return [...named, ...led, ...(readsHere ? context.folders : [])].some((path) => {
    if (TELLTALE_FOLDER.test(path) && path !== '/dev/null') return true
    if (CREDENTIALS.some((name) => isInside(path, `${context.home}/${name}`))) return true
    const { hidden } = context
    return isHidden(path, context) || (readsTrees && hidden.some((folder) => isInside(folder, path)))
  })
}

/** By the path as it is written: `link/..` is where the link leads, not where it lies. */
function realPathsOf({ text }: Field, { folders, follow }: HiddenContext): readonly string[] {
  if (text === '' || follow === undefined) return []
  const paths = text.startsWith('/') ? [text] : folders.map((folder) => `${folder}/${text}`)
  return paths.flatMap((path) => follow(path) ?? [])
}

/** `x`, `--file=x`, `-f/x` */
function partsThatMayBePaths(arg: Field): readonly Field[] {
  const { text } = arg
  const starts = [0, text.indexOf('=') + 1, text.startsWith('-') ? text.indexOf('/') : 0]
  return [...new Set(starts)].filter((start) => start >= 0).map((start) => ({ ...arg, text: text.slice(start) }))
}

/** The innermost folder around it decides. */
function isHidden(path: string, { hidden, roots }: HiddenContext): boolean {
  const length = (folders: readonly string[]) =>
    Math.max(-1, ...folders.filter((folder) => isInside(path, folder)).map((folder) => folder.length))
  return length(hidden) > length(roots)
}

/** `path` may be a glob; as in a shell, its stars do not match a leading dot. */
function isInside(path: string, folder: string): boolean {
  if (folder === '/') return true
  const parts = path.split('/')
  const names = folder.split('/')
  return (
    parts.length >= names.length &&
    names.every((name, index) => {
      const part = parts[index] ?? ''
      return (
        name === part ||
        (/[*?[]/.test(part) && name.startsWith('.') === part.startsWith('.') && matchesGlob(name, part))
      )
    })
  )
}
