import { describe, expect, it } from 'vitest'
import { replaceText, replaceTexts, type TextChange } from './replace-text.ts'
import { showChanges } from './show-changes.ts'
import { toFileText } from './text-file.ts'

const change = (oldText: string, newText: string, replaceAll = false): TextChange => ({ oldText, newText, replaceAll })
const show = (text: string, ...changes: readonly TextChange[]) => showChanges(toFileText(text), changes)

describe('what an edit shows', () => {
  it('is whole lines, with the first one’s number', async () => {
    const text = 'a\nconst x = 1\nb\n'
    expect(await show(text, change('x', 'y'))).toEqual([{ oldText: 'const x = 1', newText: 'const y = 1', line: 2 }])
    expect(await show(text, change('x = 1\nb', 'z'))).toEqual([
      { oldText: 'const x = 1\nb', newText: 'const z', line: 2 },
    ])
  })

  it('is each change in the result of the one before', async () => {
    expect(await show('one\ntwo\n', change('one', 'one\nmore'), change('w', 'W'))).toEqual([
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
  ])('says what it does to lines: it %s', async (_, edit, shown) => {
    const text = 'a\nb\nc'
    const [told] = await show(text, edit)
    expect(told).toMatchObject(shown)
    const result = replaceText(toFileText(text), edit)
    expect(text.replace(shown.oldText, shown.newText)).toBe('text' in result ? result.text : undefined)
  })

  it('has no carriage returns of a file with Windows line ends', async () => {
    expect(await show('a\r\nlet b\r\nlet c\r\n', change('b\nlet', 'B\nlet'))).toEqual([
      { oldText: 'let b\nlet c', newText: 'let B\nlet c', line: 2 },
    ])
  })

  it('is what was given, if the place is not clear', async () => {
    expect(await showChanges(undefined, [change('a', 'b')])).toEqual([{ oldText: 'a', newText: 'b' }])
    expect(await show('x a\nx a\n', change('a', 'b'))).toEqual([{ oldText: 'a', newText: 'b', line: 1 }])
    expect(await show('x a\nx a\n', change('a', 'b', true))).toEqual([{ oldText: 'a', newText: 'b', line: 1 }])
    expect(await show('x a\n', change('nope', 'b'), change('a', 'b'))).toEqual([
      { oldText: 'nope', newText: 'b' },
      { oldText: 'a', newText: 'b' },
    ])
  })

  it('is what was given, where the line is very long', async () => {
    const text = `a${'x'.repeat(10_000)}b`
    expect(await show(text, change('b', 'c'))).toEqual([{ oldText: 'b', newText: 'c', line: 1 }])
  })

  it('lets others have their turn, and stops where a large file is changed too often', async () => {
    const text = 'ab'.repeat(4_000_000)
    let turns = 0
    const timer = setInterval(() => (turns += 1), 0)
    const edits = Array.from({ length: 100 }, (_, index) => change(`b${'ab'.repeat(100)}c`, `${index}`))
    const result = await replaceTexts(toFileText(`${text}b${'ab'.repeat(100)}c`), [
      ...Array.from({ length: 50 }, (_, index) => change(index % 2 === 0 ? 'c' : 'd', index % 2 === 0 ? 'd' : 'c')),
      ...edits,
    ])
    clearInterval(timer)
    expect(result).toMatchObject({ problem: expect.stringMatching(/^comes after too many other edits/) })
    expect(turns).toBeGreaterThan(5)
  })

  it('refuses to replace more places than a call may', () => {
    expect(replaceText(toFileText('a'.repeat(100_001)), change('a', 'b', true))).toEqual({
      problem: 'was found more than 100000 times, which is the limit, in',
    })
  })
})
