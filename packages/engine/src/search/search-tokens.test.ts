import { describe, expect, it } from 'vitest'
import { foldText } from './fold-text.ts'
import { hasTerm, toSearchTerms, toSearchTokens } from './search-tokens.ts'

const finds = (query: string, text: string): boolean => {
  const terms = toSearchTerms(query)
  const tokens = toSearchTokens(text)
  return terms.length > 0 && terms.every((term) => hasTerm(tokens, term))
}

describe('folding', () => {
  it.each([
    ['ÜBER', 'uber'],
    ['Straße STRASSE', 'strasse strasse'],
    ['Σίσυφος ΣΊΣΥΦΟΣ', 'σισυφοσ σισυφοσ'],
    ['İstanbul ISTANBUL ıstanbul', 'istanbul istanbul istanbul'],
    ['Łódź Ærø', 'lodz aero'],
    ['ﬁle Ｆｕｌｌ', 'file full'],
    ['Ёлка', 'елка'],
    ['e\u0301 \u00e9', 'e e'],
    ['Việt', 'viet'],
    ['שָׁלוֹם', 'שלום'],
    ['がか ｶﾞ', 'がか ガ'],
    ['हिन्दी', 'हिन्दी'],
    ['한국어', '한국어'],
  ])('of %j is %j', (text, folded) => {
    expect(foldText(text)).toBe(folded)
  })
})

describe('tokens', () => {
  it.each([
    ['Hello, World!', 'hello world'],
    ['getUserName', 'getusername get user name'],
    ['src/deploy_now.ts v2.3', 'src deploy now ts v2 3'],
    ['中国人', '中国 国人 人'],
    ['猫', '猫'],
    ['用Python写', '用 python 写'],
    ['한국어를', '한국 국어 어를 를'],
    ['ภาษา', 'ภา าษ ษา า'],
    ['ok 🦜!', 'ok 🦜'],
    ['"quoted" OR NEAR(a b) * ^ \u0000', 'quoted or near a b'],
    ['Tea, tea and TEA', 'tea and'],
    ['人人人', '人人 人人 人'],
    ['', ''],
  ])('of %j are %j', (text, tokens) => {
    expect(toSearchTokens(text).join(' ')).toBe(tokens)
  })

  it('are well-formed and bounded, whatever the text', () => {
    for (const token of toSearchTokens(`\ud800a\udfff ${'x'.repeat(1_000)} ${'\u{1D400}'.repeat(100)}`)) {
      expect(token.isWellFormed()).toBe(true)
      expect(token.length).toBeLessThanOrEqual(64)
      expect(token).not.toMatch(/[\s"*]/)
    }
  })
})

describe('a query', () => {
  it.each([
    ['walr', 'A Walrus sings'],
    ['WALRUS sings', 'it sings: a walrus'],
    ['uber', 'Über alles'],
    ['ÜBER', 'uber'],
    ['strasse', 'in der Straße'],
    ['привет', 'ПРИВЕТ, мир'],
    ['σίσυφος', 'ο ΣΊΣΥΦΟΣ'],
    ['绿茶', '我喜欢喝绿茶，不要糖'],
    ['茶', '绿茶'],
    ['喜欢喝', '我喜欢喝绿茶'],
    ['緑茶', '私は緑茶が好きです'],
    ['コーヒー', 'コーヒーを飲む'],
    ['한국', '한국어를 배운다'],
    ['배운다', '한국어를 배운다'],
    ['ไทย', 'ภาษาไทย'],
    ['शब्द', 'यह एक शब्द है'],
    ['سلام', 'السَّلام عليكم سَلام'],
    ['user', 'call getUserName()'],
    ['c++', 'I write C++ code'],
    ['🦜', 'a parrot 🦜'],
    ['python 茶', '用Python泡茶'],
  ])('%j finds %j', (query, text) => {
    expect(finds(query, text)).toBe(true)
  })

  it.each([
    ['c', 'code'],
    ['co', 'code'],
    ['walrus cat', 'a walrus'],
    ['国中', '中国'],
    ['喝茶', '喝绿茶'],
    ['中国人', '中国的国人'],
    ['か', 'が'],
    ['!!!', 'anything'],
    ['', 'anything'],
  ])('%j does not find %j', (query, text) => {
    expect(finds(query, text)).toBe(false)
  })

  it('has a bounded number of terms, each once', () => {
    expect(toSearchTerms('tea Tea TEA').length).toBe(1)
    expect(toSearchTerms(Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ')).length).toBe(16)
  })
})
