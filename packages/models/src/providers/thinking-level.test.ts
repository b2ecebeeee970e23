import { createFakeClock } from '@polylogue/testkit'
import { describe, expect, it } from 'vitest'
import { collect, requestOf } from './test-support/ask.ts'
import { resolveModel } from './resolve-model.ts'

/** What is sent to OpenAI itself: only there the catalogue says which levels a model takes. */
async function sentBy(name: string, thinking: string | undefined, configured?: 'low'): Promise<unknown> {
  const sent: unknown[] = []
  const model = resolveModel(name, {
    clock: createFakeClock(),
    env: { OPENAI_API_KEY: 'sk-x' },
    ...(configured && { providers: { openai: { thinking: configured } } }),
    fetch: async (_url, init) => {
      sent.push(JSON.parse(String(init?.body)))
      return new Response('{"error":{"message":"no"}}', { status: 400 })
    },
  })
  await collect(model.stream(requestOf('hi', thinking === undefined ? {} : { thinking }), new AbortController().signal))
  return sent[0]
}

describe('the thinking level of a session', () => {
  it('is sent to the provider, before the one that is configured', async () => {
    expect(await sentBy('openai/chat-latest', 'high')).toMatchObject({ reasoning: { effort: 'high' } })
    expect(await sentBy('openai/chat-latest', 'high', 'low')).toMatchObject({ reasoning: { effort: 'high' } })
    expect(await sentBy('openai/chat-latest', undefined, 'low')).toMatchObject({ reasoning: { effort: 'low' } })
  })

  it('is not sent to a model that does not take it', async () => {
    expect(await sentBy('openai/chat-latest', 'max')).not.toHaveProperty('reasoning.effort')
    expect(await sentBy('openai/gpt-4.1', 'high')).not.toHaveProperty('reasoning.effort')
  })

  it('can be chosen from those of the catalogue', () => {
    const deps = { clock: createFakeClock(), env: { OPENAI_API_KEY: 'sk-x' } }
    const levels = (name: string) => resolveModel(name, deps).thinkingLevels
    expect(levels('openai/chat-latest')).toEqual(['none', 'minimal', 'low', 'medium', 'high'])
    expect(levels('openai/gpt-4.1')).toBeUndefined()
    expect(levels('ollama/qwen3')).toBeUndefined()
  })
})
