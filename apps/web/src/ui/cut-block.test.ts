import { describe, expect, it } from 'vitest'
import { cutBlock } from './cut-block.ts'

const LONG = 6_000
/** Repeats until the text is long. */
const fill = (piece: (index: number) => string): string => {
  let text = ''
  for (let index = 0; text.length < LONG; index++) text += piece(index)
  return text
}
const piecesOf = (text: string): readonly string[] => {
  const cut = cutBlock(text)
  return 'pieces' in cut ? cut.pieces : []
}

describe('cutBlock', () => {
  it.each([
    ['a short paragraph', 'Some words.'],
    ['a heading', `# ${'word '.repeat(LONG)}`],
    ['a quote', fill(() => '> quoted words\n')],
    ['a paragraph with a footnote', fill(() => 'words[^1] and words ')],
    ['a definition and its uses', `[a]: https://example.com\n${fill(() => 'words of [a] ')}`],
    ['text below a list', `${fill(() => '- item\n')}\nwords`],
    ['code below an indented fence', '  ```ts\n  const a = 1\n  ```'],
  ])('leaves %s whole', (_, text) => {
    expect(cutBlock(text)).toEqual({ type: 'whole', text })
  })

  it.each([
    ['closed', '```ts\nconst a = 1\n\nconst b = 2\n```\n', 'ts', 'const a = 1\n\nconst b = 2'],
    ['open', '```ts\nconst a = 1\n', 'ts', 'const a = 1'],
    ['empty', '```', '', ''],
    ['of tildes, around backticks', '~~~md title=x\n```\ncode\n```\n~~~', 'md', '```\ncode\n```'],
    ['longer than one inside', '````\n```\na\n```\n````', '', '```\na\n```'],
  ])('does not parse a fence that is %s', (_, raw, language, text) => {
    expect(cutBlock(raw)).toEqual({ type: 'fence', language, text })
  })

  // With 3,000 characters, the frames of an answer that grows took three times as long.
  it.each([
    ['paragraph', fill((index) => `word${index} `)],
    ['list', fill((index) => `- item ${index}\n`)],
    ['table', `a | b\n-|-\n${fill((index) => `${index} | cell\n`)}`],
  ])('keeps what is parsed again with every delta short: a %s', (_, text) => {
    for (let end = text.length - 600; end < text.length; end += 7) {
      expect(piecesOf(text.slice(0, end)).at(-1)?.length).toBeLessThan(1_050)
    }
  })

  it('cuts a paragraph between words, and loses no character', () => {
    const text = fill((index) => `word${index} `)
    expect(piecesOf(text).length).toBeGreaterThan(2)
    expect(piecesOf(text).join('')).toBe(text)
  })

  it('cuts Chinese behind its punctuation', () => {
    const text = fill((index) => `这是第${index}句话，里面有**粗体**。`)
    expect(piecesOf(text).length).toBeGreaterThan(2)
    expect(piecesOf(text).every((piece) => /[，。]$/.test(piece))).toBe(true)
    expect(piecesOf(text).join('')).toBe(text)
  })

  it.each([
    ['emphasis', '**', '**'],
    ['code', '`', '`'],
    ['a link', '[', '](https://example.com/a)'],
    ['struck words', '~~', '~~'],
  ])('keeps %s in one piece', (_, open, close) => {
    const text = fill((index) => `some words ${index} ${open}and marked ones that go on for long${close} so `)
    const pieces = piecesOf(text)
    expect(pieces.length).toBeGreaterThan(2)
    for (const piece of pieces.slice(0, -1)) expect(piece.split(open).length % 2 === 1 || open === '[').toBe(true)
    for (const piece of pieces) expect(piece.split('[').length).toBe(piece.split('](').length)
  })

  it('keeps names with underscores and products with stars', () => {
    expect(piecesOf(fill(() => 'a snake_case name and 2 * 3 words ')).length).toBeGreaterThan(2)
  })

  it('does not cut at a hard line break', () => {
    const text = fill((index) => `line${index}  \n`)
    expect(piecesOf(text)).toEqual([text])
  })

  it('cuts a list between its own items only', () => {
    const text = fill((index) => `${index + 3}. item\n   - below it\n`)
    const cut = cutBlock(text)
    expect(cut).toMatchObject({ type: 'list', start: 3 })
    expect(piecesOf(text).every((piece) => /^\d+\. item\n {3}- below it/.test(piece))).toBe(true)
    expect(piecesOf(text).join('\n')).toBe(text)
    expect(cutBlock(fill(() => '- item\n'))).toMatchObject({ type: 'list', start: undefined })
  })

  it('gives each piece of a table its head', () => {
    const pieces = piecesOf(`| a | b |\n|---|:-:|\n${fill((index) => `| ${index} | x |\n`)}`)
    expect(pieces.length).toBeGreaterThan(2)
    for (const piece of pieces) expect(piece).toMatch(/^\| a \| b \|\n\|---\|:-:\|\n\| \d+ \| x \|/)
  })

  it('keeps earlier pieces as they are while the text grows', () => {
    const text = fill((index) => `word${index} and **more** `)
    const before = piecesOf(text.slice(0, 5_000))
    expect(piecesOf(text).slice(0, before.length - 1)).toEqual(before.slice(0, -1))
  })
})
