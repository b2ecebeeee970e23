import { describe, expect, it } from 'vitest'
import { createRedactor } from './redactor.ts'

describe('a value that was shown to the redactor', () => {
  const secret = 'hunter2 "correct"\nhorse/battery?'

  it('is removed everywhere and in every spelling', () => {
    const { redact, learn } = createRedactor()
    learn(secret)
    for (const spelling of [
      secret,
      JSON.stringify({ message: secret }),
      JSON.stringify(JSON.stringify({ message: secret })),
      `https://a.example/?q=${encodeURIComponent(secret)}`,
      `x${Buffer.from(secret).toString('base64')}`,
    ]) {
      expect(redact(`before ${spelling} after ${spelling}`)).not.toMatch(/hunter2|horse|aHVudGVyM/)
    }
    expect(redact(`a ${secret} b ${secret}`)).toBe('a *** b ***')
  })

  it('is found as a whole where another one begins like it', () => {
    const { redact, learn } = createRedactor()
    learn('correct-horse')
    learn('correct-horse-battery')
    expect(redact('correct-horse-battery correct-horse correct-house')).toBe('*** *** correct-house')
  })

  it('leaves short values and everything else alone', () => {
    const { redact, learn } = createRedactor()
    learn('a')
    learn(undefined)
    learn('')
    expect(redact('a sentence')).toBe('a sentence')
  })

  it('of a stranger never crowds out our own', () => {
    const { redact, learn, learnPassing } = createRedactor()
    learn('our-own-secret')
    for (let n = 0; n < 3_000; n++) learnPassing(`guess-number-${n}`)
    expect(redact('our-own-secret guess-number-2999 guess-number-0')).toBe('*** *** guess-number-0')
  })
})

describe('many values', () => {
  const letters = 'abcdefghijkläöü0123456789-_ 鍵"\\'
  const made = (seed: number, length: number): string =>
    Array.from({ length }, (_, at) => letters[(seed * 7919 + at * at * 31 + at * seed) % letters.length]).join('')

  it('are all found, at any place', () => {
    const { redact, learn } = createRedactor()
    const secrets = Array.from({ length: 500 }, (_, index) => `${made(index, 14)}${index}`)
    for (const secret of secrets) learn(secret)
    for (const [index, secret] of secrets.entries()) {
      expect(redact(`<${'y'.repeat(index % 11)}${secret}>`)).toBe(`<${'y'.repeat(index % 11)}***>`)
    }
  })

  it('are dropped when there are too many, and those that share a prefix stay', () => {
    const { redact, learnPassing } = createRedactor()
    learnPassing('shared-start-old')
    for (let index = 0; index < 999; index++) learnPassing(`filler-${index}-filler`)
    learnPassing('shared-start-new')
    expect(redact('shared-start-new')).toBe('***')
    expect(redact('shared-start-old')).toBe('shared-start-old')
    for (let index = 0; index < 1_000; index++) learnPassing(`other-${index}-other`)
    expect(redact('shared-start-new filler-5-filler')).toBe('shared-start-new filler-5-filler')
    learnPassing('shared-start-new')
    expect(redact('shared-start-new')).toBe('***')
  })
})

describe('what looks like a secret', () => {
  const { redact } = createRedactor()
  it.each([
    ['key sk-ant-api03-abcDEF_123 end', 'key *** end'],
    ['{"authorization":"Bearer abc.def-123"}', '{"authorization":"Bearer ***"}'],
    ['Basic dXNlcjpwYXNz', 'Basic ***'],
    ['postgres://me:geheim@db:5432/x', 'postgres://***@db:5432/x'],
    ['http://token@host/path', 'http://***@host/path'],
    ['GET /x?api_key=abc123&page=2', 'GET /x?api_key=***&page=2'],
    ['https://a/b?page=2&access_token=abc', 'https://a/b?page=2&access_token=***'],
    ['/signin#code=abcdef', '/signin#code=***'],
    ['redirect=%2Fx%3Ftoken%3Dabc', 'redirect=%2Fx%3Ftoken%3D***'],
    ['ghp_0123456789abcdefgh', '***'],
    ['AKIAIOSFODNN7EXAMPLE', '***'],
    ['eyJhbGciOi.eyJzdWIiOi.c2ln', '***'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----', '***'],
  ])('%s is taken out', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it.each(['the bearer of news', 'a task-force', 'http://host:80/path?page=2', 'keyboard=1', 'basic idea'])(
    '%s is not',
    (text) => {
      expect(redact(text)).toBe(text)
    },
  )

  it('costs at most the length of the text', () => {
    const startedAt = performance.now()
    for (const piece of ['a://', '?key', 'sk-', '-----BEGIN PRIVATE KEY-----', 'Bearer ', 'eyJaaaaa.']) {
      redact(piece.repeat(20_000))
    }
    expect(performance.now() - startedAt).toBeLessThan(3_000)
  })
})
