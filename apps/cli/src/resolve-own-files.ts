// Imports between our own files name the file exactly, and a workspace is the same from everywhere. Node looks for links,
// folders and package files at each of them all the same, which takes a fifth of the time until the server is ready.
import { registerHooks, type ResolveFnOutput, type ResolveHookContext } from 'node:module'

const ROOT = new URL('../../../', import.meta.url).href
const FOLDERS = [`${ROOT}apps/`, `${ROOT}packages/`]
const WORKSPACE = '@polylogue/'

/** Answers for imports in our own files, and leaves everything else to `next`. */
export function createResolve(): (
  specifier: string,
  context: Pick<ResolveHookContext, 'parentURL'>,
  next: (specifier: string) => ResolveFnOutput,
) => ResolveFnOutput {
  const workspaces = new Map<string, ResolveFnOutput>()
  return (specifier, { parentURL }, next) => {
    if (parentURL === undefined || !isOwn(parentURL)) return next(specifier)
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
