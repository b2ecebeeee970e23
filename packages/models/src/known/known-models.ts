// What is known of models of the three hosted providers: how many tokens they take, and their list prices in US dollars for
// a million tokens. A price that depends on a date, or on what we cannot see in the usage, is left out: no price is better
// than a wrong one. Configuration wins over all of it.
//
// Providers tell them at
//   https://platform.claude.com/docs/en/about-claude/models/overview (a model's own page has the prices of its cache)
//   https://developers.openai.com/api/docs/pricing and the models' pages there
//   https://ai.google.dev/gemini-api/docs/pricing
// Those of Anthropic's models were read there in November 2026; some of OpenAI's come from copies of its pages, and those of
// older models were not looked up again. Whoever bills by them sets `prices` in the configuration.
import type { Rates } from '@polylogue/engine'

export interface KnownModel {
  /** How much input it takes, in tokens. */
  readonly window: number
  readonly price?: Rates & { readonly long?: Rates & { readonly above: number } }
}

/** Reading from the cache costs a tenth, writing to it a quarter more. */
const anthropic = (window: number, input: number, output: number): KnownModel => ({
  window,
  price: { input, output, cachedInput: input / 10, cacheWrite: input * 1.25 },
})

const openai = (window: number, input: number, cachedInput: number, output: number): KnownModel => ({
  window,
  price: { input, cachedInput, output },
})

/** A call with more than 272,000 tokens costs twice as much for all of its input and half as much again for its output. */
const longOpenai = (rates: Rates & Required<Pick<Rates, 'cachedInput'>>): KnownModel => {
  const { input, output, cachedInput, cacheWrite } = rates
  const long = {
    above: 272_000,
    input: input * 2,
    output: output * 1.5,
    cachedInput: cachedInput * 2,
    ...(cacheWrite !== undefined && { cacheWrite: cacheWrite * 2 }),
  }
  return { window: 922_000, price: { ...rates, long } }
}

const MILLION = 1_000_000
const GEMINI = 1_048_576

export const KNOWN_MODELS: { readonly [provider: string]: { readonly [model: string]: KnownModel } } = {
  anthropic: {
    'claude-fable-5-1': anthropic(MILLION, 10, 50),
    'claude-opus-5-5': anthropic(MILLION, 4, 20),
    'claude-opus-5': anthropic(MILLION, 5, 25),
    'claude-sonnet-5-5': anthropic(MILLION, 2, 10),
    'claude-sonnet-5': anthropic(MILLION, 2, 10),
    // Its price has steps.
    'claude-haiku-5-5': { window: MILLION },
    'claude-opus-4-6': anthropic(200_000, 5, 25),
    'claude-opus-4-5': anthropic(200_000, 5, 25),
    // Input beyond 200,000 tokens, where an account may send it, has another price.
    'claude-sonnet-4-6': anthropic(200_000, 3, 15),
    'claude-sonnet-4-5': anthropic(200_000, 3, 15),
    'claude-haiku-4-5': anthropic(200_000, 1, 5),
  },
  openai: {
    'gpt-6-astra': longOpenai({ input: 10, cachedInput: 1, cacheWrite: 12.5, output: 50 }),
    'gpt-6-sol': longOpenai({ input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 }),
    'gpt-6-luna': longOpenai({ input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, output: 0.5 }),
    'gpt-5.4': longOpenai({ input: 2.5, cachedInput: 0.25, output: 15 }),
    'gpt-5.4-mini': openai(272_000, 0.75, 0.075, 4.5),
    'gpt-5.2': openai(272_000, 1.75, 0.175, 14),
    'gpt-5.1': openai(272_000, 1.25, 0.125, 10),
    'gpt-5': openai(272_000, 1.25, 0.125, 10),
    'gpt-5-mini': openai(272_000, 0.25, 0.025, 2),
    'gpt-5-nano': openai(272_000, 0.05, 0.005, 0.4),
    'gpt-4.1': openai(1_047_576, 2, 0.5, 8),
    'gpt-4.1-mini': openai(1_047_576, 0.4, 0.1, 1.6),
    'gpt-4.1-nano': openai(1_047_576, 0.1, 0.025, 0.4),
    'gpt-4o': openai(128_000, 2.5, 1.25, 10),
    'gpt-4o-mini': openai(128_000, 0.15, 0.075, 0.6),
  },
  google: {
    // The newer ones have a price that ends on a date.
    'gemini-flash-latest': { window: GEMINI },
    'gemini-flash-lite-latest': { window: GEMINI },
    'gemini-pro-latest': { window: GEMINI },
    'gemini-3.8-flash': { window: GEMINI },
    'gemini-3.7-flash': { window: GEMINI },
    'gemini-3.6-flash': { window: GEMINI },
    'gemini-3.5-flash': { window: GEMINI },
    'gemini-2.5-pro': {
      window: GEMINI,
      price: {
        input: 1.25,
        cachedInput: 0.125,
        output: 10,
        long: { above: 200_000, input: 2.5, cachedInput: 0.25, output: 15 },
      },
    },
    'gemini-2.5-flash': { window: GEMINI, price: { input: 0.3, cachedInput: 0.03, output: 2.5 } },
    'gemini-2.5-flash-lite': { window: GEMINI, price: { input: 0.1, cachedInput: 0.01, output: 0.4 } },
  },
}
