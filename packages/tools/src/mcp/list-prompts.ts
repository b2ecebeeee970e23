import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { dropCarriers, dropHidden } from '../drop-hidden.ts'
import { LONGEST_DESCRIPTION, LONGEST_TEXT, MOST_PAGES, MOST_PROMPTS, NO_TIMEOUT } from './mcp-limits.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface PromptDefinition {
  readonly name: string
  readonly description: string
  /** The names of the arguments, in order. */
  readonly arguments: readonly string[]
}

const page = z.looseObject({ prompts: z.array(z.unknown()), nextCursor: z.string().max(65_536).optional() })
const definition = z.looseObject({
  name: z.string().min(1).max(256),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(z.looseObject({ name: z.string().min(1).max(256) }))
    .max(32)
    .optional(),
})

/** Reads the prompts of a server. One that is not well formed is left out. */
export async function listPrompts(client: Client, signal: AbortSignal): Promise<readonly PromptDefinition[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return []
  const found = new Map<string, PromptDefinition>()
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const request = client.request({ method: 'prompts/list', params }, page, { signal, timeout: NO_TIMEOUT })
    const { prompts, nextCursor } = await unlessAborted(request, signal)
    for (const entry of prompts) {
      const parsed = definition.safeParse(entry)
      if (!parsed.success || found.size >= MOST_PROMPTS) continue
      const { name, title, description = title ?? name, arguments: wanted = [] } = parsed.data
      const about = dropHidden(description.slice(0, LONGEST_DESCRIPTION)).toWellFormed()
      found.set(name, { name, description: about, arguments: wanted.map((one) => one.name) })
    }
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return [...found.values()]
}

const content = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('resource'), resource: z.looseObject({ uri: z.string(), text: z.string() }) }),
])
const written = z.looseObject({
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content: z.unknown() })).max(256),
})

/** The text of a prompt. Images and sounds are mentioned. */
export async function getPrompt(
  client: Client,
  wanted: { readonly name: string; readonly arguments: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<string> {
  const request = client.request({ method: 'prompts/get', params: { ...wanted } }, written, {
    signal,
    timeout: NO_TIMEOUT,
  })
  const { messages } = await unlessAborted(request, signal)
  const texts = messages.map((message) => {
    const text = textIn(message.content)
    return message.role === 'user' ? text : `The assistant says:\n${text}`
  })
  return dropCarriers(texts.join('\n\n').slice(0, LONGEST_TEXT)).toWellFormed()
}

function textIn(value: unknown): string {
  const parsed = content.safeParse(value)
  if (!parsed.success) return '[The prompt has a part here that is no text.]'
  return parsed.data.type === 'text' ? parsed.data.text : `${parsed.data.resource.uri}:\n${parsed.data.resource.text}`
}
