import { describe, expect, it } from 'vitest'
import { findProvider } from '../providers/find-provider.ts'
import { findKnownModel, findListPrice } from './find-known-model.ts'
import { KNOWN_MODELS } from './known-models.ts'

const env = {}

describe('what is known of a model', () => {
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

  it('makes sense: windows are large, and what is cached costs no more than what is not', () => {
    for (const models of Object.values(KNOWN_MODELS)) {
      for (const { window, price } of Object.values(models)) {
        expect(window).toBeGreaterThanOrEqual(128_000)
        if (price === undefined) continue
        expect(price.output).toBeGreaterThan(price.input)
        expect(price.cachedInput ?? price.input).toBeLessThanOrEqual(price.input)
      }
    }
  })
})
