import { expect } from 'vitest'
import type { Answer } from '../support/http-exchange.ts'

/** A refusal is its status and a JSON body whose `error` is a sentence; further fields are allowed. */
export function expectRefusal(answer: Answer, status: number): void {
  expect({ status: answer.status, type: answer.headers['content-type'], text: answer.text }).toEqual({
    status,
    type: expect.stringMatching(/^application\/json/),
    text: expect.any(String),
  })
  expect(answer.body).toEqual(expect.objectContaining({ error: expect.stringMatching(/\S/) }))
}
