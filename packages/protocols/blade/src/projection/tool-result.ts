import type { ToolContent } from '@polylogue/engine'
import type { AddedContent, Json } from '../wire.ts'
import type { EventOf } from './event-of.ts'

type ToolCallSettled = EventOf<'tool-call.settled'>

/** The result as clients see it. What a tool told clients alone stands beside the rest, under `_meta`. */
export function toResult({ output, meta }: Pick<ToolCallSettled, 'output' | 'meta'>): Json {
  const plain = toPlainResult(output)
  if (meta === undefined) return plain
  const parsed = typeof plain === 'string' ? parseObject(plain) : undefined
  return { ...(parsed ?? (plain === '' ? {} : { output: plain })), _meta: meta }
}

function toPlainResult(output: ToolContent): Json {
  if (typeof output === 'string') return output
  if (output.every((part) => part.type === 'text')) return output.map(({ text }) => text).join('')
  return output.map((part): Json => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const { source } = part
    if (source.type === 'url') return { type: 'image_url', image_url: { url: source.url } }
    return { type: 'image', media_type: source.mediaType, hash: source.hash }
  })
}

type ToolBlock = Pick<AddedContent, 'type' | 'content'>

/** Actions and cards for the page that shows the session. A card has exactly one resource and a known place. */
export function toMetaBlocks(meta: ToolCallSettled['meta']): readonly ToolBlock[] {
  const blocks: ToolBlock[] = []
  const bridge = meta?.['bridge']
  if (isObject(bridge) && typeof bridge['action'] === 'string') {
    const { action, payload = null } = bridge
    blocks.push({ type: 'tool_bridge', content: { action, payload } })
  }
  const ui = meta?.['ui']
  if (isObject(ui) && isCard(ui)) blocks.push({ type: 'tool_ui', content: ui })
  return blocks
}

function isCard(ui: { readonly [name: string]: Json }): boolean {
  const resources = [ui['resourceHTML'], ui['resourceUri']].filter((resource) => typeof resource === 'string')
  return resources.length === 1 && (ui['target'] === 'inline' || ui['target'] === 'preview')
}

function parseObject(text: string): { readonly [name: string]: Json } | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
