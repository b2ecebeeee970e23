// The format of a block's `opaque`: provider metadata as the AI SDK returns and accepts it. `own` belongs to the block
// itself. `after` holds thinking without text (redacted or encrypted) that followed the block: the log has no block for
// it, but the provider needs each piece back in place.
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

/** `undefined` unless this same model wrote it. */
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

/** Drops what JSON cannot hold, such as `undefined` fields. */
function toJson(value: object): JsonValue {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  return z.json().parse(parsed)
}
