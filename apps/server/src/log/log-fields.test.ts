import { expect, it } from 'vitest'
import { toLogFields } from './log-fields.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor()
redactor.learn('correct-horse-battery')
const fieldsOf = (fields: object) => toLogFields({ ...fields }, redactor)

it('holds no secret at any depth', () => {
  const error = Object.assign(new Error('open correct-horse-battery'), {
    code: 'EACCES',
    requestBody: 'all that the user said',
    cause: new Error('Bearer abcdef'),
  })
  const fields = fieldsOf({
    err: error,
    list: [{ text: 'correct-horse-battery' }],
    headers: { Authorization: 'x', a: 1 },
  })
  expect(fields).toMatchObject({
    err: { type: 'Error', message: 'open ***', code: 'EACCES', cause: { message: 'Bearer ***' } },
    list: [{ text: '***' }],
    headers: { Authorization: '***', a: 1 },
  })
  expect(JSON.stringify(fields)).not.toMatch(/horse|abcdef|the user/)
})

it('holds nothing under a name that means a secret, and keeps numbers', () => {
  const fields = fieldsOf({ cookie: 'short', usage: { inputTokens: 5, accessToken: 'short' }, apiKey: ['short'] })
  expect(fields).toEqual({ cookie: '***', usage: { inputTokens: 5, accessToken: '***' }, apiKey: '***' })
})

it('is bounded in depth, number and length', () => {
  const deep: Record<string, unknown> = {}
  deep['self'] = deep
  const fields = fieldsOf({ deep, many: Array.from({ length: 1_000 }, () => 1), long: 'x'.repeat(1_000_000) })
  expect(JSON.stringify(fields).length).toBeLessThan(9_000)
  expect(fields['many']).toHaveLength(50)
})

it('keeps no character that moves a cursor or ends a line', () => {
  expect(fieldsOf({ text: 'a\u009b31m\u2028b\u007f' })).toEqual({ text: 'a\\u009b31m\\u2028b\\u007f' })
})

it('keeps a secret at the edge of a long text out', () => {
  const { text } = fieldsOf({ text: `${'x'.repeat(8 * 1024 - 5)}correct-horse-battery` })
  expect(text).toBe(`${'x'.repeat(8 * 1024 - 5)}***`)
})
