import { createServer } from 'node:http'
import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { findKnownModel } from '../known/find-known-model.ts'
import { HOSTED, chooseDefaultModel, type DefaultModelDeps } from './choose-default-model.ts'
import { findProvider } from './find-provider.ts'

const OLLAMA = 'http://127.0.0.1:11434/api/tags'
const offline = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))

/** A network on which only these addresses answer. */
function network(answers: Readonly<Record<string, unknown>>, asked: string[] = []): DefaultModelDeps['fetch'] {
  return (input) => {
    const url = String(input)
    asked.push(url)
    return Object.hasOwn(answers, url) ? Promise.resolve(Response.json(answers[url])) : offline()
  }
}

const choose = (deps: Partial<DefaultModelDeps>) =>
  chooseDefaultModel({ env: {}, clock: createFakeClock(), fetch: offline, ...deps })

describe('the default model', () => {
  it('is that of the first provider with a key', async () => {
    const env = { GEMINI_API_KEY: 'g', OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' }
    expect(await choose({ env })).toEqual({
      name: 'anthropic/claude-sonnet-5-5',
      sentence: 'anthropic/claude-sonnet-5-5, with the key from ANTHROPIC_API_KEY.',
    })
    expect((await choose({ env: { ...env, ANTHROPIC_API_KEY: '' } })).name).toMatch(/^openai\//)
    expect((await choose({ env: { GEMINI_API_KEY: 'g' } })).name).toMatch(/^google\//)
  })

  it.each(HOSTED)('is found by the key of %s, and the catalogue knows it', async (provider, model) => {
    const { apiKeyFrom } = findProvider(provider, {}, {})
    expect(await choose({ env: { [apiKeyFrom]: 'k' } })).toEqual({
      name: `${provider}/${model}`,
      sentence: `${provider}/${model}, with the key from ${apiKeyFrom}.`,
    })
    expect(findKnownModel(findProvider(provider, {}, {}), model)).toMatchObject({
      window: expect.any(Number),
      price: expect.any(Object),
    })
  })

  it('is the one that POLYLOGUE_MODEL names, whatever else is there', async () => {
    const env = { ANTHROPIC_API_KEY: 'a', POLYLOGUE_MODEL: 'openai/gpt-5' }
    expect(await choose({ env })).toEqual({ name: 'openai/gpt-5', sentence: 'openai/gpt-5, as POLYLOGUE_MODEL says.' })
    expect((await choose({ env: { ...env, POLYLOGUE_MODEL: 'demo' } })).name).toBe('demo')
  })

  it('asks no local server when there is a key', async () => {
    const asked: string[] = []
    await choose({ env: { ANTHROPIC_API_KEY: 'a' }, fetch: network({}, asked) })
    expect(asked).toEqual([])
  })

  it('is the one that the configuration names for that provider', async () => {
    expect((await choose({ env: { OPENAI_API_KEY: 'o' }, providers: { openai: { model: 'gpt-5-mini' } } })).name).toBe(
      'openai/gpt-5-mini',
    )
    expect(await choose({ providers: { lab: { baseUrl: 'http://127.0.0.1:1/v1', model: 'big' } } })).toEqual({
      name: 'lab/big',
      sentence: 'lab/big, as configured.',
    })
  })

  it('is the first that a server offers to which OpenAI’s address was moved', async () => {
    const fetch = network({ 'http://127.0.0.1:1234/v1/models': { data: [{ id: 'text-embed' }, { id: 'qwen3' }] } })
    expect(await choose({ env: { OPENAI_BASE_URL: 'http://127.0.0.1:1234/v1' }, fetch })).toEqual({
      name: 'openai/qwen3',
      sentence: 'openai/qwen3, at 127.0.0.1:1234.',
    })
  })

  it('is the first of Ollama that can talk', async () => {
    const models = [
      { name: 'nomic-embed-text:latest', details: { family: 'nomic-bert' } },
      { name: 'llama3.2:3b', details: { family: 'llama' } },
      { name: 'qwen3:8b' },
    ]
    expect(await choose({ fetch: network({ [OLLAMA]: { models } }) })).toEqual({
      name: 'ollama/llama3.2:3b',
      sentence: 'ollama/llama3.2:3b, from Ollama on 127.0.0.1:11434.',
    })
    const providers = { ollama: { model: 'qwen3:8b' } }
    expect((await choose({ fetch: network({ [OLLAMA]: { models } }), providers })).name).toBe('ollama/qwen3:8b')
  })

  it('is the demo when Ollama has no model, and says how to get one', async () => {
    const chosen = await choose({ fetch: network({ [OLLAMA]: { models: [] } }) })
    expect(chosen.name).toBe('demo')
    expect(chosen.sentence).toContain('ollama pull')
  })

  it.each([
    ['nobody answers', offline],
    ['something else answers', () => Promise.resolve(Response.json({ hello: 'world' }))],
    ['it answers with an error', () => Promise.resolve(new Response('no', { status: 500 }))],
    ['it answers with nonsense', () => Promise.resolve(new Response('<html>'))],
  ])('is the demo when %s, and says what to do', async (_, fetch) => {
    const chosen = await choose({ fetch })
    expect(chosen.name).toBe('demo')
    expect(chosen.sentence).toContain('ANTHROPIC_API_KEY')
  })

  it('does not wait for a server that accepts and says nothing', async () => {
    const asked = Promise.withResolvers<void>()
    const server = createServer(() => asked.resolve())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const clock = createFakeClock()
    const chosen = choose({ env: { OLLAMA_HOST: `127.0.0.1:${port}` }, clock, fetch: globalThis.fetch })
    await asked.promise
    clock.advance(1000)
    expect((await chosen).name).toBe('demo')
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
