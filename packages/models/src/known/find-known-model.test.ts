import { describe, expect, it } from 'vitest'
import { findProvider } from '../providers/find-provider.ts'
import { findKnownModel, findListPrice } from './find-known-model.ts'
import { KNOWN_PROVIDERS } from '../providers/known-providers.ts'
import { knownModelsOf } from './known-models.ts'
import { readNamedModels } from './test-support/read-named-models.ts'

const env = {}

describe('known facts about a model', () => {
  it.each([
    ['anthropic/claude-sonnet-5-5', { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5, currency: 'USD' }],
    [
      'anthropic/claude-haiku-4-5-20251001',
      { input: 1, output: 5, cachedInput: 0.1, cacheWrite: 1.25, currency: 'USD' },
    ],
    ['openai/gpt-5-mini', { input: 0.25, output: 2, cachedInput: 0.025, currency: 'USD' }],
    ['openai/gpt-4o-2024-08-06', { input: 2.5, output: 10, cachedInput: 1.25, currency: 'USD' }],
  ])('is its price by the list: %s', (name, price) => {
    expect(findListPrice(name, { env })).toEqual(price)
  })

  it('has a higher price for long input, where the list says so', () => {
    expect(findListPrice('openai/gpt-6-astra', { env })?.long).toEqual({
      above: 272_000,
      input: 20,
      output: 75,
      cachedInput: 2,
      cacheWrite: 25,
    })
  })

  it.each(['openai/gpt-99', 'openai/gpt-5-mini-turbo', 'ollama/llama3', 'polylogue/demo', 'custom/model', 'nonsense'])(
    'is nothing for %s',
    (name) => {
      expect(findListPrice(name, { env })).toBeUndefined()
    },
  )

  it('does not hold for a server that only has the name of a provider', () => {
    const providers = { openai: { baseUrl: 'http://127.0.0.1:1234/v1' } }
    expect(findListPrice('openai/gpt-5', { env, providers })).toBeUndefined()
    expect(findKnownModel(findProvider('openai', providers, env), 'gpt-5')).toBeUndefined()
    expect(findKnownModel(findProvider('openai', {}, env), 'gpt-5')?.window).toBe(272_000)
  })

  it.each([
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
  ])('makes sense for %s: windows are positive and cached input costs no more than other input', (provider) => {
    const models = Object.values(knownModelsOf(provider))
    expect(models.length).toBeGreaterThan(1)
    for (const { window, price } of models) {
      expect(window).toBeGreaterThan(4000)
      expect(price?.cachedInput ?? 0).toBeLessThanOrEqual(price?.input ?? 0)
    }
  })

  it('is nothing for a provider without a list', () => {
    expect(knownModelsOf('ollama')).toEqual({})
    expect(knownModelsOf('constructor')).toEqual({})
  })

  it('covers the models that the installed AI SDK names, except those without published facts', () => {
    const unknown = ['anthropic', 'openai', 'google'].flatMap((name) =>
      readNamedModels(name).filter((model) => findKnownModel(findProvider(name, {}, env), model) === undefined),
    )
    expect(unknown).toEqual([
      'claude-fable-5-2',
      'gpt-5.3-chat-latest',
      'gpt-5.6',
      'gemini-3-pro-preview',
      'gemini-4-carbon',
    ])
  })
})

describe('a provider that is known by name', () => {
  it.each(Object.entries(KNOWN_PROVIDERS))('needs no address: %s', (name, known) => {
    const provider = findProvider(name, {}, {})
    expect(provider).toMatchObject({ title: known.title, isAtHome: true, needsKey: known.needsKey })
    expect(provider.baseUrl).toBe(`${known.host}${known.path}`)
  })

  it('needs no key when its name is used for another server', () => {
    const elsewhere = findProvider('groq', { groq: { baseUrl: 'http://127.0.0.1:9/v1' } }, {})
    expect(elsewhere).toMatchObject({ isAtHome: false, needsKey: false })
  })
})
