// A tool's data for clients that the model does not see, in the key `_meta` of the object it returns:
//   bridge  { action: string, payload? }: an action for the page that shows the session
//   ui      { resourceHTML | resourceUri, target: 'inline' | 'preview', height?, title? }: a card, with exactly one of
//           the two resources
// Other keys pass. Invalid or too large parts are left out and listed in `dropped`.
import type { JsonObject, JsonValue } from '@polylogue/engine'
import { z } from 'zod'
import { isDeeperThan } from './mcp/json-depth.ts'
import { parseWith } from './parse-with.ts'

export interface SplitResult {
  /** What the model reads. */
  readonly rest: JsonObject
  /** The valid part of `_meta`. Absent if there is none. */
  readonly meta?: JsonObject
  /** One line for each part that was left out: its place and the reason. */
  readonly dropped: readonly string[]
}

const LARGEST_HTML = 512 * 1024
/** The maximum size of everything except a card's HTML, as JSON. */
const LARGEST_REST = 64 * 1024
const DEEPEST = 32
const TALLEST_CARD = 10_000

const bridge = z.object({ action: z.string().min(1).max(256), payload: z.json().optional() })

const webAddress = z
  .string()
  .max(2048)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be an http or https URL')
const card = z
  .object({
    resourceHTML: z
      .string()
      .min(1)
      .refine((html) => Buffer.byteLength(html) <= LARGEST_HTML, 'is larger than 512 KiB')
      .optional(),
    resourceUri: webAddress.optional(),
    target: z.enum(['inline', 'preview']),
    height: z.number().int().min(1).max(TALLEST_CARD).optional(),
    title: z.string().max(256).optional(),
  })
  .refine(
    ({ resourceHTML, resourceUri }) => (resourceHTML === undefined) !== (resourceUri === undefined),
    'takes exactly one of resourceHTML and resourceUri',
  )

/** Pure. Never throws. The value is JSON, as a parser or a check made it. */
export function splitMeta(value: JsonObject): SplitResult {
  if (!Object.hasOwn(value, '_meta')) return { rest: value, dropped: [] }
  const { _meta: meta, ...rest } = value
  return { rest, ...checkMeta(meta) }
}

/** The same for a separate `_meta`. */
export function checkMeta(meta: unknown): Omit<SplitResult, 'rest'> {
  if (!isJsonObject(meta)) return { dropped: ['_meta: must be an object'] }
  const kept: [string, JsonValue][] = []
  const dropped: string[] = []
  let room = LARGEST_REST
  for (const [key, value] of Object.entries(meta)) {
    const checked = checkKey(key, value)
    if (!checked.ok) {
      dropped.push(`_meta.${key.slice(0, 64)}: ${checked.problem}`)
      continue
    }
    const size = sizeOf(key, checked.value)
    if (size > room) {
      dropped.push(`_meta.${key.slice(0, 64)}: more than 64 KiB in all`)
      continue
    }
    room -= size
    kept.push([key, checked.value])
  }
  return kept.length === 0 ? { dropped } : { meta: Object.fromEntries(kept), dropped }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Checked = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string }

function checkKey(key: string, value: JsonValue): Checked {
  if (isDeeperThan(value, DEEPEST)) return { ok: false, problem: `nested more than ${DEEPEST} deep` }
  if (key !== 'ui' && key !== 'bridge') return { ok: true, value }
  const parsed = parseWith<z.ZodType<JsonObject>>(key === 'ui' ? card : bridge, value)
  return parsed.ok ? { ok: true, value: parsed.value } : parsed
}

function sizeOf(key: string, value: JsonValue): number {
  if (key !== 'ui' || !isJsonObject(value)) return Buffer.byteLength(JSON.stringify({ [key]: value }))
  const { resourceHTML: _, ...rest } = value
  return Buffer.byteLength(JSON.stringify(rest))
}
