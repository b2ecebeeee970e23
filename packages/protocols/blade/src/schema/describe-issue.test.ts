import { expect, it } from 'vitest'
import type { z } from 'zod'
import { sendRequestSchema, sessionRequestSchema } from './client-events.ts'
import { describeIssue } from './describe-issue.ts'

const problemOf = (schema: z.ZodType, value: unknown): string =>
  describeIssue(schema.safeParse(value).error?.issues[0], 'payload')

const SENT = { session_id: 's', message: 'hi' }

it.each([
  [undefined, 'payload: expected object, received undefined'],
  [{ ...SENT, message: 7 }, 'message: expected string or array, received number'],
  [{ session_id: 's' }, 'message: expected string or array, received undefined'],
  [{ ...SENT, message: [1] }, 'message.0: expected an object whose type is "text", "image_url" or "file"'],
  [
    { ...SENT, message: [{ type: 'audio' }] },
    'message.0.type: expected an object whose type is "text", "image_url" or "file"',
  ],
  [{ ...SENT, message: [{ type: 'text' }] }, 'message.0.text: expected string, received undefined'],
  [{ ...SENT, mode: 'fast' }, 'mode: expected one of "planning"|"executing"'],
  [{ ...SENT, headless: 'yes' }, 'headless: expected boolean, received string'],
  [{ ...SENT, message: ' ' }, 'message: must not be empty'],
  [
    { ...SENT, askuser_answer: { tool_call_id: 'c', custom: { first: 'x' } } },
    'askuser_answer.custom.first: expected the index of a question, such as "0"',
  ],
  [{ ...SENT, output_schema: { a: () => 1 } }, 'output_schema: expected object of JSON values'],
  [{ ...SENT, output_schema: [] }, 'output_schema: expected object of JSON values'],
  [{ ...SENT, output_schema: { a: [Buffer.from('a')] } }, 'output_schema: expected object of JSON values'],
  [{ ...SENT, whatif: {} }, 'whatif: is not supported by this server'],
])('blade 7: %j is refused with its field and what was expected', (value, problem) => {
  expect(problemOf(sendRequestSchema, value)).toBe(problem)
})

it('blade 7: a huge key of the client is not sent back whole', () => {
  const custom = { ['9'.repeat(5_000)]: 'x' }
  const problem = problemOf(sendRequestSchema, { ...SENT, askuser_answer: { tool_call_id: 'c', custom } })
  expect(problem.length).toBeLessThan(300)
  expect(problemOf(sessionRequestSchema, { session_id: 'x'.repeat(5_000) }).length).toBeLessThan(300)
})
