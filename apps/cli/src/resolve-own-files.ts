// Imports between our own files name the file exactly, and a workspace is the same from everywhere. Node looks for links,
// folders and package files at each of them all the same, which takes a fifth of the time until the server is ready.
import { registerHooks, type ResolveFnOutput, type ResolveHookContext } from 'node:module'

const ROOT = new URL('../../../', import.meta.url).href
const FOLDERS = [`${ROOT}apps/`, `${ROOT}packages/`]
const WORKSPACE = '@polylogue/'
const ALL_LOCALES = '../locales/index.js'
const LATE_LOCALES = new URL('./late-locales.ts', import.meta.url).href

/** Answers for imports in our own files, and leaves everything else to `next`. */
export function createResolve(): (
  specifier: string,
  context: Pick<ResolveHookContext, 'parentURL'>,
  next: (specifier: string) => ResolveFnOutput,
) => ResolveFnOutput {
  const workspaces = new Map<string, ResolveFnOutput>()
  return (specifier, { parentURL }, next) => {
    if (parentURL === undefined) return next(specifier)
    if (specifier === ALL_LOCALES && isInZod(parentURL)) {
      return { url: LATE_LOCALES, format: formatOf(LATE_LOCALES), shortCircuit: true }
    }
    if (!isOwn(parentURL)) return next(specifier)
    if (specifier.startsWith('.')) {
      const format = formatOf(specifier)
      if (format === undefined) return next(specifier)
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
    }
    if (!specifier.startsWith(WORKSPACE)) return next(specifier)
    const found = workspaces.get(specifier) ?? { ...next(specifier), shortCircuit: true }
    workspaces.set(specifier, found)
    return found
  }
}

/** The files of our own zod that load all languages. */
const isInZod = (url: string): boolean =>
  ['./v4/core/index.js', './v4/classic/external.js'].some(
    (path) => new URL(path, import.meta.resolve('zod')).href === url,
  )

const isOwn = (url: string): boolean =>
  FOLDERS.some((folder) => url.startsWith(folder)) && !url.includes('/node_modules/', ROOT.length)

function formatOf(specifier: string): string | undefined {
  if (specifier.endsWith('.ts')) return 'module-typescript'
  return specifier.endsWith('.js') ? 'module' : undefined
}

export function resolveOwnFiles(): void {
  const resolve = createResolve()
  registerHooks({ resolve: (specifier, context, next) => resolve(specifier, context, (asked) => next(asked, context)) })
}
