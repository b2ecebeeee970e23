import { readFileSync } from 'node:fs'
import { registerHooks, type ResolveHookSync } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const PUBLIC_MODULE = new URL('../public.ts', import.meta.url).href

let isResolving = false

/**
 * Imports a configuration and returns its default export. The imports `polylogue` and `zod` resolve to the server's own
 * packages, so that a configuration needs no installation.
 */
export async function importConfig(file: string): Promise<unknown> {
  resolveOurPackages()
  const loaded: unknown = await import(pathToFileURL(file).href)
  return typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : undefined
}

type Resolved = Pick<ReturnType<ResolveHookSync>, 'url' | 'format'>

/**
 * Whether to load a user's file as a module although Node would not. With a package.json without `type`, Node guesses and
 * warns. With `"type": "commonjs"`, which npm writes, it refuses `import`.
 */
function isModule({ url, format }: Resolved): boolean {
  if (!url.startsWith('file:') || !/\.[jt]s$/.test(url) || url.includes('/node_modules/')) return false
  if (format === undefined || format === null) return url.endsWith('.ts')
  return format.startsWith('commonjs') && hasModuleSyntax(readFileSync(fileURLToPath(url), 'utf8'))
}

const MODULE_SYNTAX =
  /^[^\S\n]*(?:import\s*[\w{*'"]|export\s+(?:default|const|let|function|async|class|type|interface|\{|\*))/m

export const hasModuleSyntax = (text: string): boolean => MODULE_SYNTAX.test(text)

const moduleFormatOf = (url: string): 'module' | 'module-typescript' =>
  url.endsWith('.ts') ? 'module-typescript' : 'module'

/** Stays installed: a tool may import modules when it runs. */
function resolveOurPackages(): void {
  if (isResolving) return
  isResolving = true
  registerHooks({
    resolve(specifier, context, nextResolve) {
      // Packages in node_modules have their own dependencies, perhaps another zod.
      // When Polylogue is installed, this file is also in node_modules, and imports the configuration.
      const isForeign = context.parentURL?.includes('/node_modules/') && context.parentURL !== import.meta.url
      if (isForeign) return nextResolve(specifier, context)
      if (specifier === 'polylogue') return nextResolve(PUBLIC_MODULE, context)
      if (specifier === 'zod') return nextResolve(specifier, { ...context, parentURL: PUBLIC_MODULE })
      const resolved = nextResolve(specifier, context)
      return isModule(resolved) ? { ...resolved, format: moduleFormatOf(resolved.url) } : resolved
    },
  })
}
