import { describe, expect, it } from 'vitest'
import { replaceText, type TextChange } from './replace-text.ts'
import { showChanges } from './show-changes.ts'
import { toFileText } from './text-file.ts'

const change = (oldText: string, newText: string, replaceAll = false): TextChange => ({ oldText, newText, replaceAll })
const show = (text: string, ...changes: readonly TextChange[]) => showChanges(toFileText(text), changes)

describe('what an edit shows', () => {
  it('is whole lines, with the first one’s number', () => {
    const text = 'a\nconst x = 1\nb\n'
    expect(show(text, change('x', 'y'))).toEqual([{ oldText: 'const x = 1', newText: 'const y = 1', line: 2 }])
    expect(show(text, change('x = 1\nb', 'z'))).toEqual([{ oldText: 'const x = 1\nb', newText: 'const z', line: 2 }])
  })

  it('is each change in the result of the one before', () => {
    expect(show('one\ntwo\n', change('one', 'one\nmore'), change('w', 'W'))).toEqual([
      { oldText: 'one', newText: 'one\nmore', line: 1 },
      { oldText: 'two', newText: 'tWo', line: 3 },
    ])
  })

  it.each([
    ['removes a line', change('b\n', ''), { oldText: 'b\n', newText: '' }],
    ['joins two lines', change('b\n', 'b '), { oldText: 'b\nc', newText: 'b c' }],
    ['joins two lines by a line end alone', change('\nc', 'c'), { oldText: 'b\nc', newText: 'bc' }],
    ['keeps a line end', change('b\n', 'B\n'), { oldText: 'b\n', newText: 'B\n' }],
    ['adds to the end', change('c', 'c\nd'), { oldText: 'c', newText: 'c\nd' }],
  ])('says what it does to lines: it %s', (_, edit, shown) => {
    const text = 'a\nb\nc'
    const [told] = show(text, edit)
    expect(told).toMatchObject(shown)
    const result = replaceText(toFileText(text), edit)
    expect(text.replace(shown.oldText, shown.newText)).toBe('text' in result ? result.text : undefined)
  })

  it('has no carriage returns of a file with Windows line ends', () => {
    expect(show('a\r\nlet b\r\nlet c\r\n', change('b\nlet', 'B\nlet'))).toEqual([
      { oldText: 'let b\nlet c', newText: 'let B\nlet c', line: 2 },
    ])
  })

  it('is what was given, if the place is not clear', () => {
    expect(showChanges(undefined, [change('a', 'b')])).toEqual([{ oldText: 'a', newText: 'b' }])
    expect(show('x a\nx a\n', change('a', 'b'))).toEqual([{ oldText: 'a', newText: 'b', line: 1 }])
    expect(show('x a\nx a\n', change('a', 'b', true))).toEqual([{ oldText: 'a', newText: 'b', line: 1 }])
    expect(show('x a\n', change('nope', 'b'), change('a', 'b'))).toEqual([
      { oldText: 'nope', newText: 'b' },
      { oldText: 'a', newText: 'b' },
    ])
  })
})
