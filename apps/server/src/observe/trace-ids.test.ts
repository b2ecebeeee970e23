import { expect, it } from 'vitest'
import { parseTraceparent, traceOf } from './trace-ids.ts'

it('a turn has the same trace on every node, and another turn another one', () => {
  expect(traceOf('turn_1')).toEqual(traceOf('turn_1'))
  expect(traceOf('turn_1').traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(traceOf('turn_2').traceId).not.toBe(traceOf('turn_1').traceId)
})

it.each([
  undefined,
  '',
  'garbage',
  `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  `01-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`,
])('the traceparent %j names no caller', (header) => {
  expect(parseTraceparent(header)).toBeUndefined()
})

it('a traceparent names the span of the caller', () => {
  expect(parseTraceparent(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)).toEqual({
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    flags: 1,
  })
})
