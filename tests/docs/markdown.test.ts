import { describe, expect, it } from 'vitest'
import { parsePage } from './markdown.ts'

describe('a page in Markdown', () => {
  it('gives its fenced blocks with the words after the fence', () => {
    const { blocks } = parsePage('a\n```sh run\nls\n\npwd\n```\n~~~~\n~~~\n~~~~\n')
    expect(blocks).toEqual([
      { words: ['sh', 'run'], text: 'ls\n\npwd', line: 2 },
      { words: [], text: '~~~', line: 7 },
    ])
  })

  it('is refused when a block has no end', () => {
    expect(() => parsePage('a\n```sh\nls\n')).toThrow('line 2')
  })

  it('names its headings as GitHub does', () => {
    const { anchors } = parsePage(
      '# Two commands\n## What’s `next`?\n## Two commands\n## 两条命令\n```\n# no heading\n```\n',
    )
    expect([...anchors]).toEqual(['two-commands', 'whats-next', 'two-commands-1', '两条命令'])
  })

  it('gives the targets of links and images, but none from code', () => {
    const { targets } = parsePage(
      '[a](a.md) ![b](b.svg "title") `[c](c.md)` <img src="d.png"> <source srcset="e.png">\n```\n[f](f.md)\n```\n',
    )
    expect(targets).toEqual(['a.md', 'b.svg', 'd.png', 'e.png'])
  })

  it('returns the text between backticks', () => {
    expect(parsePage('`a/b` and ``c ` d``').codeSpans).toEqual(['a/b', 'c ` d'])
  })
})
