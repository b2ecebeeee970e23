import { describe, expect, it } from 'vitest'
import { createJsonCount } from './json-count.ts'
import { MOST_KEYS, MOST_VALUES } from './mcp-limits.ts'

const problemOf = (text: string, pieceBytes = text.length): string | undefined => {
  const count = createJsonCount()
  const bytes = Buffer.from(text)
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) count.push(bytes.subarray(at, at + pieceBytes))
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
const MANY = 'it sent a message with more than'

describe('a message of an MCP server', () => {
  it.each([
    ['empty lists', `[${'[],'.repeat(MOST_VALUES)}1]`, `${MANY} ${MOST_VALUES} values`],
    ['empty objects', `[${'{},'.repeat(MOST_VALUES)}1]`, `${MANY} ${MOST_VALUES} values`],
    ['numbers', `[${'1,'.repeat(MOST_VALUES)}1]`, `${MANY} ${MOST_VALUES} values`],
    ['keys', `{${'"a":1,'.repeat(MOST_KEYS + 1)}"b":1}`, `${MANY} ${MOST_KEYS} keys`],
    ['keys after escaped quotes', `{"x":"\\"\\\\",${'"\\"":1,'.repeat(MOST_KEYS)}"b":1}`, `${MANY} ${MOST_KEYS} keys`],
    [
      'keys after a comment with a quote',
      `: "\n\ndata: {${'"a":1,'.repeat(MOST_KEYS)}"b":1}`,
      `${MANY} ${MOST_KEYS} keys`,
    ],
    ['a long text', `{"text":"${'a, [b], {c: d} \\" '.repeat(MOST_VALUES / 10)}"}`, undefined],
    ['what fits', `[${'[],'.repeat(MOST_VALUES / 4)}1]`, undefined],
  ])('with %s is measured before it is parsed, however it is cut', (_, text, problem) => {
    expect([problemOf(text), problemOf(text, 65_535), problemOf(text.slice(0, 700_000), 7) ?? problem]).toEqual([
      problem,
      problem,
      problem,
    ])
  })

  it('begins anew', () => {
    const count = createJsonCount()
    for (let message = 0; message < 3; message++) {
      count.push(Buffer.from(`[${'1,'.repeat(MOST_VALUES - 1)}"`))
      count.restart()
    }
  })
})
