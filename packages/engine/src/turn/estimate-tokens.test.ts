import { describe, expect, it } from 'vitest'
import { createFakeModel, finishes, says, startSession } from '@polylogue/testkit'
import { guessTokens } from './estimate-tokens.ts'

describe('a guess', () => {
  it.each([
    ['The quick brown fox jumps over the lazy dog. ', 10],
    ['我们星期二部署服务器，', 5],
    ['Мы разворачиваем сервер по вторникам. ', 9],
    ['今日はサーバーを配備します。', 9],
  ])('is not far below what a tokenizer says, in any script: %s', (text, tokens) => {
    const guess = guessTokens(text.repeat(100))
    expect(guess).toBeGreaterThan(tokens * 100)
    expect(guess).toBeLessThan(tokens * 100 * 2.5)
  })
})

describe('a tokenizer', () => {
  const LONG = 'word '.repeat(200)

  async function talk(countTokens: (text: string) => Promise<number>, turns: number) {
    const fake = createFakeModel()
    const asked: string[] = []
    const model = {
      ...fake,
      contextWindow: 1_000,
      countTokens: (text: string) => {
        asked.push(text)
        return countTokens(text)
      },
      async *stream(...args: Parameters<typeof fake.stream>) {
        for await (const output of fake.stream(...args))
          yield output.type === 'finished' ? { ...output, usage: { inputTokens: 0, outputTokens: 0 } } : output
      },
    }
    const test = await startSession({ model })
    for (let turn = 0; turn < turns; turn += 1) {
      model.push([says(LONG), finishes()])
      await test.say(`turn ${turn}`)
      await test.untilRest()
    }
    return { asked, types: await test.types() }
  }

  it('is not asked while there is room', async () => {
    expect((await talk(async () => 0, 2)).asked).toEqual([])
  })

  it('has the last word near the limit, and counts every message once', async () => {
    const { asked, types } = await talk(async (text) => text.length / 10, 5)
    expect(types).not.toContain('compaction.started')
    const words = asked.filter((text) => text === LONG)
    expect(words.length).toBeGreaterThan(2)
    expect(words.length).toBeLessThan(5)
  })

  it('that counts more than was guessed has older messages summed up sooner', async () => {
    const { types } = await talk(async (text) => text.length / 2, 4)
    expect(types).toContain('compaction.started')
  })
})
