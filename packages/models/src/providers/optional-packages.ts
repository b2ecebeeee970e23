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
