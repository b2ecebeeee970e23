// Models that providers still serve and that the maintained list has dropped, with the list prices they were published at.
import type { KnownModel, KnownModels } from './known-models.ts'

const claude = (name: string, input: number, output: number): KnownModel => ({
  name,
  window: 200_000,
  images: true,
  price: { input, output, cachedInput: input / 10, cacheWrite: input * 1.25 },
})

const codex = (name: string, input: number, output: number): KnownModel => ({
  name,
  window: 272_000,
  maxOutput: 128_000,
  images: true,
  thinking: ['low', 'medium', 'high'],
  price: { input, output, cachedInput: input / 10 },
})

const chat = (name: string, input: number, output: number): KnownModel => ({
  name,
  window: 128_000,
  maxOutput: 16_384,
  images: true,
  price: { input, output, cachedInput: input / 10 },
})

export const OLDER_MODELS: Readonly<Record<string, KnownModels>> = {
  anthropic: {
    'claude-opus-4-1': claude('Claude Opus 4.1', 15, 75),
    'claude-opus-4-0': claude('Claude Opus 4', 15, 75),
    'claude-opus-4': claude('Claude Opus 4', 15, 75),
    'claude-sonnet-4-0': claude('Claude Sonnet 4', 3, 15),
    'claude-sonnet-4': claude('Claude Sonnet 4', 3, 15),
    'claude-3-haiku': {
      name: 'Claude Haiku 3',
      window: 200_000,
      images: true,
      price: { input: 0.25, output: 1.25, cachedInput: 0.03, cacheWrite: 0.3 },
    },
  },
  openai: {
    'gpt-5-codex': codex('GPT-5 Codex', 1.25, 10),
    'gpt-5.1-codex': codex('GPT-5.1 Codex', 1.25, 10),
    'gpt-5.1-codex-max': codex('GPT-5.1 Codex Max', 1.25, 10),
    'gpt-5.1-codex-mini': codex('GPT-5.1 Codex mini', 0.25, 2),
    'gpt-5.2-codex': codex('GPT-5.2 Codex', 1.75, 14),
    'gpt-5.1-chat-latest': chat('GPT-5.1 Chat', 1.25, 10),
    'gpt-5.2-chat-latest': chat('GPT-5.2 Chat', 1.75, 14),
    'gpt-3.5-turbo': { name: 'GPT-3.5 Turbo', window: 16_385, maxOutput: 4096, price: { input: 0.5, output: 1.5 } },
  },
  google: {
    'gemini-2.0-flash': {
      name: 'Gemini 2.0 Flash',
      window: 1_048_576,
      images: true,
      price: { input: 0.1, output: 0.4, cachedInput: 0.025 },
    },
    'gemini-2.0-flash-lite': {
      name: 'Gemini 2.0 Flash Lite',
      window: 1_048_576,
      images: true,
      price: { input: 0.075, output: 0.3 },
    },
  },
}
