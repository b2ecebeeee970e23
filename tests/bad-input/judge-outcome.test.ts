import { describe, expect, it } from 'vitest'
import type { Expectation } from './bad-input.ts'
import type { Outcome } from './connection.ts'
import { judgeOutcome } from './judge-outcome.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function answer(status: number, body: string, headers: Readonly<Record<string, string>> = JSON_TYPE) {
  return { status, headers: new Map(Object.entries(headers)), body: Buffer.from(body) }
}

const refusal = answer(400, '{"error":"body: not valid JSON"}')

function judge(expected: Expectation, outcome: Partial<Outcome>): readonly string[] {
  return judgeOutcome({ expected }, { responses: [], connection: 'open', ms: 1, ...outcome })
}

describe('what is expected', () => {
  it('is one answer, of the statuses that fit', () => {
    expect(judge({ answers: 1 }, { responses: [refusal] })).toEqual([])
    expect(judge({ answers: 1, statuses: [400] }, { responses: [refusal] })).toEqual([])
    expect(judge({ answers: 1, statuses: [401] }, { responses: [refusal] })).toHaveLength(1)
    expect(judge({ answers: 1, statuses: 'refused' }, { responses: [answer(200, '{}')] })).toHaveLength(1)
    expect(judge({ answers: 1 }, {})).toEqual(['0 answers instead of 1'])
    expect(judge({ answers: 2 }, { responses: [refusal] })).toEqual(['1 answers instead of 2'])
  })

  it('may be a closed connection, but not silence', () => {
    expect(judge({ answers: 'one, or closed instead' }, { connection: 'closed' })).toEqual([])
    expect(judge({ answers: 'one, or closed instead' }, { connection: 'open' })).toHaveLength(1)
  })
})

describe('an answer', () => {
  const one: Expectation = { answers: 1 }

  it.each([
    ['a server error', answer(500, '{"error":"oops"}')],
    ['a 503 that does not say when to come back', answer(503, '{"error":"later"}')],
    ['a rate limit, behind which nothing was looked at', answer(429, '{"error":"too often"}')],
    ['a refusal in HTML', answer(400, '<h1>No</h1>', { 'content-type': 'text/html' })],
    ['a refusal without a sentence', answer(400, '{"message":"no"}')],
    ['a refusal with a path of the machine', answer(400, '{"error":"cannot open /home/anna/x"}')],
    ['JSON that is cut off', answer(200, '{"a":')],
    ['a header that nobody knows', answer(200, '{}', { ...JSON_TYPE, 'x-smuggled': 'yes' })],
    ['bytes without a type', answer(200, 'hello', {})],
    ['an unknown event', answer(200, 'event: x\ndata: {"event":"x"}\n\n', { 'content-type': 'text/event-stream' })],
    [
      'an event id with more in it',
      answer(200, 'event: text\ndata: {"event":"text"}\nid: 1 2\n\n', { 'content-type': 'text/event-stream' }),
    ],
    [
      'a line of its own in a stream',
      answer(200, 'event: text\ndata: {"event":"text"}\nforged: 1\n\n', { 'content-type': 'text/event-stream' }),
    ],
  ])('may not be %s', (_, response) => {
    expect(judge(one, { responses: [response] })).not.toEqual([])
  })

  it('may be a stream of our events, cut where we left', () => {
    const body = 'event: turn_start\ndata: {"event":"turn_start"}\nid: 2\n\nevent: te'
    expect(judge(one, { responses: [answer(200, body, { 'content-type': 'text/event-stream' })] })).toEqual([])
  })
})
