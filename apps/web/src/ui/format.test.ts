import { expect, it } from 'vitest'
import { formatClock, formatDuration } from './format.ts'

it('a duration never shows sixty seconds, and speaks the language', () => {
  expect([42, 999, 59_400, 59_600, 119_700, 125_000].map((ms) => formatDuration(ms, 'en'))).toEqual([
    '42 ms',
    '1 s',
    '59 s',
    '1m 0s',
    '2m 0s',
    '2m 5s',
  ])
  expect(formatDuration(125_000, 'zh-CN')).toBe('2分钟 5秒')
})

it('a clock is as wide in its second second as in its last', () => {
  expect([0, 7, 60, 3599, 3723].map(formatClock)).toEqual(['0:00', '0:07', '1:00', '59:59', '1:02:03'])
})
