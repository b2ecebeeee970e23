import { describe, expect, it } from 'vitest'
import { askedWords, memoryWords } from './memory-words.ts'

describe('the words of a memory', () => {
  it.each([
    ['We deploy on Fridays, never on Mondays.', 'deploy friday monday'],
    ['What is the deploy day?', 'deploy'],
    ["The user's boxes, caches and releases", 'box cach releas'],
    ['a box, a cache, the release', 'box cach releas'],
    ['cookies and a cookie, classes of one class, status', 'cooky cooky class class status'],
    ['node.js v2.3 in src/deploy_now', 'node js v2 3 src deploy'],
    ['Ｆｕｌｌ ｗｉｄｔｈ ﬁle', 'full width file'],
    ['我喜欢喝绿茶，不要糖', '喜欢 喝 绿茶 糖'],
    ['绿茶怎么泡？', '绿茶 泡'],
    ['私は緑茶が好きです', '緑茶 好き'],
    ['Grüße aus Köln', 'grüße köln'],
    ['My son and the man', 'son man'],
    ['', ''],
    ['the of and !!! 🦜 \u0000 "*" (', ''],
  ])('of %j are %j', (text, words) => {
    expect(memoryWords(text).join(' ')).toBe(words)
  })

  it('never contain a space or half a character, whatever the text', () => {
    const text = '\ud800 a\ud800b x\u200by 한국어 텍스트 ' + 'x'.repeat(1_000) + ' "quoted" OR NEAR(a b) \u0301e'
    const words = memoryWords(text)
    expect(words.length).toBeGreaterThan(4)
    for (const word of words) {
      expect(word).toMatch(/^[\p{L}\p{N}\p{M}]{1,64}$/u)
      expect(word.isWellFormed()).toBe(true)
    }
  })

  it('are repeated as often as they occur', () => {
    expect(memoryWords('tea, tea and teas')).toEqual(['tea', 'tea', 'tea'])
  })
})

describe('the words of a question', () => {
  it('are taken once each', () => {
    expect(askedWords('Tea or coffee? Tea!')).toEqual(['tea', 'coffee'])
  })

  it('are those of the beginning and of the end when it is long, and bounded', () => {
    const asked = askedWords(`beginning ${'filler '.repeat(50_000)} middle ${'filler '.repeat(50_000)} ending`)
    expect(asked).toEqual(expect.arrayContaining(['beginning', 'filler', 'ending']))
    expect(asked).not.toContain('middle')
    expect(askedWords(Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ')).length).toBeLessThanOrEqual(
      200,
    )
  })
})
