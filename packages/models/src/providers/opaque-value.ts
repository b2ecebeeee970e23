// What we keep in a block's `opaque`: the provider's own words about it, as the AI SDK hands them out and takes them
// back. `own` belongs to the block itself. `after` are pieces of thinking that came without text right after it
// (redacted or encrypted): the log has no block for them, yet the provider wants each one back in its place.
import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { JsonValue, OpaqueData } from '@polylogue/engine'
import { z } from 'zod'

export interface OpaqueValue {
  readonly own?: SharedV4ProviderOptions
  readonly after: readonly SharedV4ProviderOptions[]
}

const metadata = z.record(z.string(), z.record(z.string(), z.json()))
const schema = z.object({ own: metadata.optional(), after: z.array(metadata).optional() })

const NOTHING: OpaqueValue = { after: [] }

/** Nothing, unless this very model wrote it. */
export function readOpaque(opaque: OpaqueData | undefined, modelName: string): OpaqueValue {
  if (opaque?.model !== modelName) return NOTHING
  const parsed = schema.safeParse(opaque.value)
  if (!parsed.success) return NOTHING
  const { own, after = [] } = parsed.data
  return { ...(own && { own }), after }
}

export function toOpaque(modelName: string, { own, after }: OpaqueValue): OpaqueData {
  return { model: modelName, value: toJson({ ...(own && { own }), ...(after.length > 0 && { after }) }) }
}

/** Leaves out what JSON cannot hold, such as fields that are `undefined`. */
function toJson(value: object): JsonValue {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  return z.json().parse(parsed)
}
