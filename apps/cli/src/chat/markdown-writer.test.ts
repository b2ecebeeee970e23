import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayWidth } from './display-width.ts'
import { createMarkdownWriter } from './markdown-writer.ts'
import { createRecordedScreen } from './recorded-screen.ts'

function write(pieces: readonly string[], columns = 40, isEnded = true): string {
  const { screen, written } = createRecordedScreen(columns)
  const { terminal, paint } = screen
  const writer = createMarkdownWriter({ output: terminal.stdout, columns: screen.columns, paintCode: paint.code })
  for (const piece of pieces) writer.write(piece)
  if (isEnded) writer.end()
  return written()
}

const show = (text: string, columns?: number): string => write([text], columns)

describe('Markdown on a terminal', () => {
  it('shows headings in bold, without their marks', () => {
    expect(show('## The plan\nText')).toBe('<b>The</b> <b>plan</b>\nText\n')
    expect(show('#hashtag')).toBe('#hashtag\n')
  })

  it('shows code blocks indented and grey, without their fences, and changes nothing in them', () => {
    expect(show('```ts\nconst a = `**b**`\n\n\tif (a) {\n```\nText')).toBe(
      '<d>  const a = `**b**`</d>\n<d>  </d>\n<d>      if (a) {</d>\nText\n',
    )
  })

  it('ends a code block only at a fence like its own', () => {
    expect(show('````\n```\n````\n# Title')).toBe('<d>  ```</d>\n<b>Title</b>\n')
  })

  it('shows lists with a hanging indent', () => {
    expect(show('- one two three four\n  - five\n12. six', 14)).toBe('• one two\n  three four\n  • five\n12. six\n')
  })

  it('shows code in a line and bold text in their styles', () => {
    expect(show('Use `npm test` and **never ever** skip')).toBe(
      'Use <c>npm</c> <c>test</c> and <b>never</b> <b>ever</b> skip\n',
    )
  })

  it.each(['2 ** 3 ** 4', '5 * 3', 'an open ` mark', '**open', '*a*', '-5 degrees', '3.14 is', '``'])(
    'does not change %j',
    (text) => {
      expect(show(text)).toBe(`${text}\n`)
    },
  )

  it('shows quotes with a bar and rules as a line', () => {
    expect(show('> quoted\n---\n* * *')).toBe(
      `<d>│ </d><d>quoted</d>\n<d>${'─'.repeat(40)}</d>\n<d>${'─'.repeat(40)}</d>\n`,
    )
  })

  it('repeats the bar of a quote that needs several lines', () => {
    expect(show('> one two three', 10)).toBe('<d>│ </d><d>one</d> <d>two</d>\n<d>│ </d><d>three</d>\n')
  })

  const TABLE = '| Name | Size |\n|:---|---:|\n| `a` | 7 |\n| 你好 | **12** |\n'

  it('shows a table in columns', () => {
    expect(show(`${TABLE}\nText`)).toBe(`<b>Name  Size</b>\n<d>${'─'.repeat(10)}</d>\na        7\n你好    12\n\nText\n`)
  })

  it('shows the rows of a table one below the other where it is too wide', () => {
    const rows = '| Name | What it is for |\n|---|---|\n| one | a long text here |\n| two | x |'
    expect(show(rows, 20)).toBe(
      '<b>one</b>\n  What it is for: a\n    long text here\n<b>two</b>\n  What it is for: x\n',
    )
  })

  it('leaves lines with bars that are no table as they are', () => {
    expect(show('| a | b |\n| c | d |\ntext')).toBe('| a | b |\n| c | d |\ntext\n')
    expect(show('a | b\n---|---')).toBe('a | b\n---|---\n')
  })

  it('fills rows with missing cells, and drops those beyond the head', () => {
    expect(show('|a|b|\n|-|-|\n|1|\n|1|2|3|\n')).toBe('<b>a  b</b>\n<d>────</d>\n1\n1  2\n')
  })

  it('keeps empty lines and drops carriage returns at the end of lines', () => {
    expect(show('a\r\n\r\nb\n')).toBe('a\n\nb\n')
  })

  it('writes each word as soon as it is complete', () => {
    expect(write(['Hel', 'lo wor'], 40, false)).toBe('Hello')
    expect(write(['- it', 'em on'], 40, false)).toBe('• item')
    expect(write(['你好'], 40, false)).toBe('你好')
  })

  it('breaks lines between words and between wide characters', () => {
    expect(show('one two three', 8)).toBe('one two\nthree\n')
    expect(show('你好世界', 5)).toBe('你好\n世界\n')
  })

  it('lets no control character of the model through, wherever it is', () => {
    const evil = '\u001b[2J\u0007\u009b1m\u202e'
    const forms = [
      evil,
      `# ${evil}`,
      `\`${evil}\``,
      `**${evil}**`,
      `- ${evil}`,
      `> ${evil}`,
      `\`\`\`${evil}\n${evil}`,
      `|${evil}|\n|-|\n|${evil}|`,
    ]
    for (const form of forms) {
      // oxlint-disable-next-line no-control-regex
      expect(show(form)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    }
  })

  it.each(['x', ' ', '`', '*', '**', '- ', '\t', '#'])(
    'takes a line of 200,000 characters %j in small pieces',
    (piece) => {
      const text = piece.repeat(200_000 / piece.length)
      expect(write([...(text.match(/.{1,8}/gs) ?? []), 'end\n'])).toMatch(/end\S*\n$/)
    },
  )

  it('shows the same for any chunking of the text', () => {
    const parts = [
      '# ',
      '- ',
      '1. ',
      '`',
      '``',
      '**',
      '*',
      ' ',
      'word',
      'long words here',
      '\n',
      '\r\n',
      '```\n',
      '> ',
      '你',
      '\t',
      '---',
      '| a | b |\n',
      '|---|:-:|\n',
      '| ',
    ]
    const texts = fc.array(fc.constantFrom(...parts), { maxLength: 25 }).map((words) => words.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(write(Array.from(text))).toBe(show(text))
      }),
    )
  })

  it('makes no line of words wider than the terminal', () => {
    const words = fc.array(fc.constantFrom('a', 'word', 'longer-word', '`code`', '**bold**', '你好'), { maxLength: 40 })
    fc.assert(
      fc.property(words, (some) => {
        const plain = show(some.join(' '), 20).replaceAll(/<\/?[bcd]>/g, '')
        for (const line of plain.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(20)
      }),
    )
  })
})
