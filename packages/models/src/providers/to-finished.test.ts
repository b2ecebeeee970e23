import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { requestOf } from './test-support/ask.ts'
import { toFinished } from './to-finished.ts'

const usage = (input: Partial<LanguageModelV4Usage['inputTokens']>, reasoning?: number): LanguageModelV4Usage => ({
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, ...input },
  outputTokens: { total: 20, text: undefined, reasoning },
})
const answer = { hasCalls: false, hasOutput: true, characters: 8 }
const context = { request: requestOf('hi'), title: 'The provider' }
const end = (unified: 'stop' | 'error' | 'interrupted', counted: LanguageModelV4Usage) =>
  toFinished({ finish: { unified, raw: undefined }, usage: counted }, answer, context)

describe('the usage of an answer', () => {
  it('reports cached, cache-writing and thinking tokens where the provider does', () => {
    const counted = usage({ total: 100, cacheRead: 60, cacheWrite: 30 }, 5)
    expect(end('stop', counted)).toEqual({
      type: 'finished',
      finish: 'stop',
      usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 60, cacheWriteTokens: 30, reasoningTokens: 5 },
    })
  })

  it('leaves out what there was none of', () => {
    expect(end('stop', usage({ total: 7, cacheRead: 0, cacheWrite: 0 }, 0))).toMatchObject({
      usage: { inputTokens: 7, outputTokens: 20 },
    })
  })

  it('is reported for a failed answer, as far as the provider gave it', () => {
    expect(end('error', usage({ total: 9 }))).toMatchObject({ usage: { inputTokens: 9, outputTokens: 20 } })
    const silent = { ...usage({}), outputTokens: { total: undefined, text: undefined, reasoning: undefined } }
    expect(end('interrupted', silent)).not.toHaveProperty('usage')
  })
})
