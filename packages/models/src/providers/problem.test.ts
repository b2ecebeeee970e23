import { describe, expect, it } from 'vitest'
import { delayBeforeRetry } from './backoff.ts'
import { readError } from './error-facts.ts'
import { type Problem, toProblem } from './problem.ts'
import { redact } from './redact.ts'

const problemOf = (error: unknown): Problem =>
  toProblem(readError(error), { title: 'Acme', model: 'm1', now: Date.UTC(2026, 0, 1) })
const httpError = (statusCode: number, message = '', more: object = {}): Error =>
  Object.assign(new Error(message), { statusCode, ...more })
const failing = (message: string, code: string): Error =>
  new Error(message, { cause: Object.assign(new Error('x'), { code }) })

describe('an error of a provider', () => {
  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'Your input exceeds the context window of this model.',
    "This model's maximum context length is 8192 tokens.",
    'the request exceeds the available context size, try increasing it',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    'prompt too long; exceeded max context length by 12 tokens',
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    'The number of tokens to keep from the initial prompt is greater than the context length.',
    'Please reduce the length of the messages or completion.',
  ])('says that the conversation is too long: %s', (message) => {
    expect(problemOf(httpError(400, message)).failure.code).toBe('context-too-long')
  })

  it.each([
    [401, '', 'model-auth', false],
    [403, '', 'model-auth', false],
    [402, '', 'model-refused-request', false],
    [400, 'Your credit balance is too low', 'model-refused-request', false],
    [429, '', 'model-rate-limited', true],
    [429, 'insufficient_quota', 'model-refused-request', false],
    [429, 'Request too large: maximum context length', 'model-rate-limited', true],
    [408, '', 'model-error', true],
    [413, '', 'context-too-long', false],
    [422, '', 'model-refused-request', false],
    [500, '', 'model-error', true],
    [503, '', 'model-overloaded', true],
    [504, '', 'model-error', true],
    [529, '', 'model-overloaded', true],
  ])('of status %i %s is %s, worth another try: %s', (status, message, code, isTransient) => {
    expect(problemOf(httpError(status, message))).toMatchObject({ failure: { code }, isTransient })
  })

  it.each([
    ['ECONNREFUSED', 'model-unreachable'],
    ['ENOTFOUND', 'model-unreachable'],
    ['ECONNRESET', 'model-unreachable'],
    ['CERT_HAS_EXPIRED', 'model-unreachable'],
    ['UND_ERR_HEADERS_TIMEOUT', 'model-stalled'],
  ])('of the network, %s, is %s', (networkCode, code) => {
    expect(problemOf(failing('fetch failed', networkCode)).failure.code).toBe(code)
  })

  it('of the network after the answer began is a cut', () => {
    expect(problemOf(httpError(200, 'x', { cause: failing('terminated', 'UND_ERR_SOCKET') }))).toMatchObject({
      failure: { code: 'model-cut-off' },
      isTransient: true,
    })
  })

  it.each([undefined, null, 'text', 7, {}, [], new Error('odd'), { message: { deep: true }, statusCode: 'x' }])(
    'of any shape is a sentence: %j',
    (error) => {
      expect(problemOf(error).failure).toEqual({ code: 'model-error', message: expect.stringMatching(/^[A-Z].*\.$/) })
    },
  )

  it('that refers to itself is read once', () => {
    const error = new Error('round')
    error.cause = error
    expect(problemOf(error).failure.code).toBe('model-error')
  })

  it.each([
    [{ 'retry-after': '5' }, '', 5000],
    [{ 'Retry-After': '0.5' }, '', 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, '', 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, '', 30_000],
    [{ 'retry-after': 'soon' }, '', undefined],
    [{}, '{"error":{"details":[{"retryDelay": "34s"}]}}', 34_000],
  ])('says how long to wait: %j %s', (responseHeaders, responseBody, ms) => {
    expect(problemOf(httpError(429, '', { responseHeaders, responseBody })).retryAfterMs).toBe(ms)
  })
})

describe('the pause before another attempt', () => {
  const busy: Problem = { failure: { code: 'c', message: 'm' }, isTransient: true }

  it('grows, and differs between waiters', () => {
    expect([0, 1, 2].map((retries) => delayBeforeRetry(busy, retries, () => 0))).toEqual([500, 1000, 2000])
    expect([0, 1, 2].map((retries) => delayBeforeRetry(busy, retries, () => 0.999))).toEqual([999.5, 1999, 3998])
  })

  it('is at least as long as the provider asks', () => {
    expect(delayBeforeRetry({ ...busy, retryAfterMs: 20_000 }, 0, () => 0.5)).toBe(20_250)
  })

  it('is not retried a fourth time, for a permanent problem, or for more than a minute', () => {
    expect(delayBeforeRetry(busy, 3, () => 0)).toBeUndefined()
    expect(delayBeforeRetry({ ...busy, isTransient: false }, 0, () => 0)).toBeUndefined()
    expect(delayBeforeRetry({ ...busy, retryAfterMs: 60_001 }, 0, () => 0)).toBeUndefined()
  })
})

describe('a text for the log', () => {
  it('has no key in it, known or not, and is short', () => {
    const text =
      'mykey1234 sk-ant-abcdef123456 AIzaSyA1234567890 Authorization: Bearer abc.def https://x.example/?key=zzz&a=1'
    expect(redact(text, ['mykey1234', ''])).toBe('*** *** *** Authorization: Bearer *** https://x.example/?key=***&a=1')
    expect(redact('x'.repeat(1000), [])).toHaveLength(500)
  })
})
