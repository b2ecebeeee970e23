import type { Clock } from '@polylogue/engine'
import { z } from 'zod'
import { wait } from '../wait.ts'
import type { Fetch } from './watched-fetch.ts'

/** A local server answers at once or is not there; do not delay every start for it. */
const LONGEST_WAIT_MS = 1000

const ollamaTags = z.object({
  models: z.array(z.object({ name: z.string(), details: z.object({ family: z.string().nullish() }).nullish() })),
})
const ollamaLoaded = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.int().positive().optional() })),
})
const openAiModels = z.object({ data: z.array(z.object({ id: z.string() })) })

/** Embedding models cannot hold a conversation. */
const EMBEDDING = /embed|bert|bge-|minilm|rerank/i

export interface ListDeps {
  readonly clock: Clock
  readonly fetch: Fetch
}

/** The models of an Ollama server, most recently used first; `undefined` without a server. `baseUrl` ends in `/v1`. */
export async function listOllamaModels(baseUrl: string, deps: ListDeps): Promise<readonly string[] | undefined> {
  const answer = ollamaTags.safeParse(await readJson(`${baseUrl.replace(/\/v1$/, '')}/api/tags`, {}, deps))
  if (!answer.success) return undefined
  return answer.data.models
    .filter(({ name, details }) => !EMBEDDING.test(`${name} ${details?.family ?? ''}`))
    .map(({ name }) => name)
}

/** The context length of a loaded Ollama model, if the server reports it. Never rejects. */
export async function readOllamaWindow(baseUrl: string, model: string, deps: ListDeps): Promise<number | undefined> {
  const answer = ollamaLoaded.safeParse(await readJson(`${baseUrl.replace(/\/v1$/, '')}/api/ps`, {}, deps))
  if (!answer.success) return undefined
  const names = [model, `${model}:latest`]
  return answer.data.models.find(({ name }) => names.includes(name))?.context_length
}

/** The models of an OpenAI-compatible server, if it lists them. */
export async function listOfferedModels(
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey?: string },
  deps: ListDeps,
): Promise<readonly string[] | undefined> {
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const answer = openAiModels.safeParse(await readJson(`${baseUrl}/models`, headers, deps))
  return answer.success ? answer.data.data.map(({ id }) => id).filter((id) => !EMBEDDING.test(id)) : undefined
}

async function readJson(url: string, headers: Record<string, string>, { clock, fetch }: ListDeps): Promise<unknown> {
  const done = new AbortController()
  const read = async (): Promise<unknown> => {
    const response = await fetch(url, { headers, redirect: 'error', signal: done.signal })
    return response.ok ? ((await response.json()) as unknown) : undefined
  }
  const late = wait(clock, LONGEST_WAIT_MS, done.signal).then(() => undefined)
  try {
    return await Promise.race([read().catch(() => undefined), late])
  } finally {
    done.abort()
  }
}
