import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProviderKind } from './provider-config.ts'

/** Large packages that few users need. They are optional peer dependencies. */
export const OPTIONAL_PACKAGES: { readonly [kind in ProviderKind]?: string } = {
  bedrock: '@ai-sdk/amazon-bedrock',
  vertex: '@ai-sdk/google-vertex',
}

/** The package that this kind of provider needs and that is not installed. */
export function findMissingPackage(kind: ProviderKind): string | undefined {
  const name = OPTIONAL_PACKAGES[kind]
  if (name === undefined) return undefined
  try {
    import.meta.resolve(name)
    return undefined
  } catch {
    return name
  }
}

/** The command that installs a package where this program finds it: beside `polylogue`. */
export function installCommand(name: string, { home, cwd }: Place = WHERE_WE_ARE): string {
  const folder = home.slice(0, Math.max(0, home.indexOf(`${sep}node_modules${sep}`)))
  if (folder.includes(`${sep}_npx${sep}`)) return `npx --package polylogue --package ${name} polylogue`
  const isOfProject = folder === '' || `${cwd}${sep}`.startsWith(`${folder}${sep}`)
  return `npm install ${isOfProject ? '' : '--global '}${name}`
}

interface Place {
  /** Any file of the installed program. */
  readonly home: string
  readonly cwd: string
}

const WHERE_WE_ARE: Place = { home: fileURLToPath(import.meta.url), cwd: process.cwd() }
