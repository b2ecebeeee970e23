import { expect, it } from 'vitest'
import { formatAsked } from './ask-approval.ts'

const write = (lines: number) => ({
  name: 'Write',
  input: { path: 'a.txt', content: 'x\n'.repeat(lines) },
  diffs: [],
})

it('shows all lines of a call that is asked about', () => {
  expect(formatAsked(write(2))).toEqual(['  a.txt', '  + x', '  + x'])
})

it('names a long call again at its end', () => {
  const lines = formatAsked(write(60))
  expect(lines).toHaveLength(62)
  expect(lines.at(-1)).toBe('(61 lines: Write a.txt)')
})
