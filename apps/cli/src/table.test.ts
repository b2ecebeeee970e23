import { expect, it } from 'vitest'
import { formatTable } from './table.ts'

it('aligns every column but the last and leaves no blanks at the end of a line', () => {
  expect(
    formatTable(
      ['ID', 'NAME', 'NOTE'],
      [
        ['1', 'long name', 'x'],
        ['22', 'b', ''],
      ],
    ),
  ).toBe('ID  NAME       NOTE\n1   long name  x\n22  b\n')
})
