import { describe, expect, it } from 'vitest'
import { countTokens } from './tokenizer.ts'

describe('the tokenizer', () => {
  it.each([
    ['', 0],
    ['Hello, world!', 4],
    ['hello '.repeat(1000).trimEnd(), 1000],
    ['我们星期二部署', 4],
  ])('counts as o200k_base does: %j', async (text, tokens) => {
    expect(await countTokens(text)).toBe(tokens)
  })

  it('takes the names of control tokens for text', async () => {
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(1)
  })

  it('yields while it counts a long text', async () => {
    let turns = 0
    const count = (): void => {
      turns += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const tokens = await countTokens('one two three four '.repeat(10_000))
    clearImmediate(timer)
    expect(tokens).toBeGreaterThan(39_000)
    expect(tokens).toBeLessThan(41_000)
    expect(turns).toBeGreaterThan(15)
  })

  it('is not slowed down by text without spaces', async () => {
    const startedAt = process.threadCpuUsage().user
    await countTokens('x'.repeat(500_000))
    expect((process.threadCpuUsage().user - startedAt) / 1000).toBeLessThan(3_000)
  })
})
