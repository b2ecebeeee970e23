// Known hosted models: context windows, list prices in US dollars for a million tokens, and abilities.
// `generated/` comes from a maintained list; `npm run refresh-models` rewrites it, and `polylogue models refresh` fetches a newer
// one for one data directory. Each file names its source and date. List prices change: set `prices` in the configuration before you bill by them; it wins.
import type { Rates } from '@polylogue/engine'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { OLDER_MODELS } from './older-models.ts'

export interface KnownModel {
  /** For people. */
  readonly name: string
  /** How much input it takes, in tokens. */
  readonly window: number
  readonly maxOutput?: number
  /** Takes images. */
  readonly images?: true
  /** Supported thinking levels, lowest first. Absent: it does not think, or the level is fixed. */
  readonly thinking?: readonly string[]
  readonly price?: Rates & { readonly long?: Rates & { readonly above: number } }
}

export type KnownModels = Readonly<Record<string, KnownModel>>

const tokens = z.int().positive()
const rates = {
  input: z.number().positive(),
  output: z.number().nonnegative(),
  cachedInput: z.number().positive().exactOptional(),
  cacheWrite: z.number().positive().exactOptional(),
}
const modelList = z.record(
  z.string(),
  z.object({
    name: z.string(),
    window: tokens,
    maxOutput: tokens.exactOptional(),
    images: z.literal(true).exactOptional(),
    thinking: z.array(z.string()).exactOptional(),
    price: z.object({ ...rates, long: z.object({ above: tokens, ...rates }).exactOptional() }).exactOptional(),
  }),
)
const generated = z.object({ source: z.string(), date: z.iso.date(), models: modelList })

/** A newer list of all providers, as `polylogue models refresh` keeps it. */
export const refreshedCatalogue = z.object({
  source: z.string(),
  date: z.iso.date(),
  providers: z.record(z.string(), modelList),
})
export type RefreshedCatalogue = z.infer<typeof refreshedCatalogue>

/** Providers that have a file in `generated/`. */
const CATALOGUED: ReadonlySet<string> = new Set([
  'anthropic',
  'openai',
  'google',
  'mistral',
  'xai',
  'deepseek',
  'groq',
  'together',
  'fireworks',
  'openrouter',
  'azure',
  'bedrock',
  'vertex',
])

const require = createRequire(import.meta.url)
const kept = new Map<string, KnownModels>()
let newer: RefreshedCatalogue | undefined

/**
 * From now on, the models of this list replace the built-in ones of the same name. A list that is not newer than the built-in one is
 * ignored: the package was upgraded since. `undefined` takes it back. Tells whether it is used.
 */
export function useRefreshedCatalogue(catalogue: RefreshedCatalogue | undefined): boolean {
  newer = catalogue !== undefined && catalogue.date > readFile('openai').date ? catalogue : undefined
  kept.clear()
  return newer !== undefined
}

/** All known models of a provider, by id, older ones last. Read from disk when a provider is first asked for. */
export function knownModelsOf(provider: string): KnownModels {
  if (!CATALOGUED.has(provider)) return {}
  const found = kept.get(provider)
  if (found !== undefined) return found
  const listed = { ...readFile(provider).models, ...newer?.providers[provider] }
  const models = { ...listed, ...OLDER_MODELS[provider], ...listed }
  kept.set(provider, models)
  return models
}

/** Where the catalogue comes from, and of which day it is. */
export function describeCatalogue(): { readonly source: string; readonly date: string } {
  const { source, date } = newer ?? readFile('openai')
  return { source, date }
}

const readFile = (provider: string): z.infer<typeof generated> =>
  generated.parse(require(`./generated/${provider}.json`))
