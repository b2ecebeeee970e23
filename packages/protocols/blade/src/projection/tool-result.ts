/**
 * The result of a call as clients see it. The part for the web page is under `_meta` of the result. A tool sets it, or a
 * command prints it in a JSON object.
 */
import type { EventOf, ToolContent } from '@polylogue/engine'
import { z } from 'zod'
import type { AddedContent, Json } from '../wire.ts'
import { imageAddress } from './addresses.ts'

type JsonObject = { readonly [name: string]: Json }
type ToolBlock = Pick<AddedContent, 'type' | 'content'>

/** Longer text is not parsed. */
const LARGEST_META_TEXT = 1024 * 1024

const bridge = z.object({ action: z.string().min(1).max(256), payload: z.json().default(null) })
const card = z
  .looseObject({
    resourceHTML: z
      .string()
      .min(1)
      .max(512 * 1024)
      .optional(),
    resourceUri: z
      .string()
      .max(2048)
      .regex(/^https?:\/\//i)
      .optional(),
    target: z.enum(['inline', 'preview']),
    height: z.number().int().positive().max(10_000).optional(),
    title: z.string().max(256).optional(),
  })
  .refine(({ resourceHTML, resourceUri }) => (resourceHTML === undefined) !== (resourceUri === undefined))

export interface ShownResult {
  readonly result: Json
  /** Actions and cards for the page. At most one of each; incomplete ones are dropped. */
  readonly blocks: readonly ToolBlock[]
}

export function toShownResult(
  { output, meta }: Pick<EventOf<'tool-call.settled'>, 'output' | 'meta'>,
  sessionId: string,
): ShownResult {
  const plain = toPlainResult(output, sessionId)
  const printed = typeof plain === 'string' ? parseObject(plain, meta === undefined) : undefined
  const { _meta: own, ...rest } = printed ?? {}
  const all: JsonObject | undefined = isObject(own) ? { ...own, ...meta } : meta
  // Text with other `_meta` stays text: clients expect text from commands.
  const isForPage = printed !== undefined || all?.['bridge'] !== undefined || all?.['ui'] !== undefined
  if (all === undefined || !isForPage) return { result: plain, blocks: [] }
  const content = printed === undefined ? (plain === '' ? {} : { output: plain }) : rest
  return { result: { ...content, _meta: all }, blocks: toMetaBlocks(all) }
}

function toPlainResult(output: ToolContent, sessionId: string): Json {
  if (typeof output === 'string') return output
  if (output.every((part) => part.type === 'text')) return output.map(({ text }) => text).join('')
  return output.map((part): Json => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const { source } = part
    if (source.type === 'url') return { type: 'image_url', image_url: { url: source.url } }
    const { hash, mediaType } = source
    return { type: 'image', media_type: mediaType, hash, url: imageAddress(sessionId, hash) }
  })
}

function toMetaBlocks(meta: JsonObject): readonly ToolBlock[] {
  const action = bridge.safeParse(meta['bridge'])
  const ui = card.safeParse(meta['ui'])
  return [
    ...(action.success ? [{ type: 'tool_bridge', content: action.data } as const] : []),
    ...(ui.success && meta['ui'] !== undefined ? [{ type: 'tool_ui', content: meta['ui'] } as const] : []),
  ]
}

/** `onlyWithMeta`: an object without `_meta` stays text. */
function parseObject(text: string, onlyWithMeta: boolean): JsonObject | undefined {
  if (text.length > LARGEST_META_TEXT || !/^\s*\{/.test(text)) return undefined
  if (onlyWithMeta && !text.includes('"_meta"')) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
