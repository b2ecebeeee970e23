import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const PUBLIC_MODULE = new URL('../public.ts', import.meta.url).href

let isResolving = false

/**
 * Loads a configuration that is a module and gives its default export. A configuration may lie anywhere: it finds
 * `polylogue` and `zod` in the server that loads it, so that nobody has to install anything beside it.
 */
export async function importConfig(file: string): Promise<unknown> {
  resolveOurPackages()
  const loaded: unknown = await import(pathToFileURL(file).href)
  return typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : undefined
}

/** Once and for good: a tool may import something when it runs. */
function resolveOurPackages(): void {
  if (isResolving) return
  isResolving = true
  registerHooks({
    resolve(specifier, context, nextResolve) {
      // Packages in a node_modules have dependencies of their own, perhaps another zod.
      if (context.parentURL?.includes('/node_modules/')) return nextResolve(specifier, context)
      if (specifier === 'polylogue') return nextResolve(PUBLIC_MODULE, context)
      if (specifier === 'zod') return nextResolve(specifier, { ...context, parentURL: PUBLIC_MODULE })
      const resolved = nextResolve(specifier, context)
      // Beside a package.json without `type` Node would guess, and warn the user that it has guessed.
      const isUndecided = resolved.format === undefined || resolved.format === null
      return isUndecided && resolved.url.endsWith('.ts') ? { ...resolved, format: 'module-typescript' } : resolved
    },
  })
}
