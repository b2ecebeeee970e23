import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const WRITER = 'replace-file.ts'
const READING = new Set(
  'constants existsSync lstat open opendir readlink realpath stat type BigIntStats Dirent FileHandle'.split(' '),
)

const sources = globSync('*.ts', { cwd: import.meta.dirname })
  .filter((name) => !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(`${import.meta.dirname}/${name}`, 'utf8') }))

function importsOfFileSystem(text: string): readonly string[] {
  return [...text.matchAll(/^import ([^']*) from '(?:node:)?fs(?:\/promises)?'/gm)].flatMap(
    ([, names]) => names?.match(/[\w*]+/g) ?? [],
  )
}

describe('S15: of the file tools', () => {
  it('only one file can write', () => {
    const others = sources.filter(({ name }) => name !== WRITER)
    expect(others.length).toBeGreaterThan(20)
    const writing = others.flatMap(({ name, text }) =>
      importsOfFileSystem(text)
        .filter((imported) => !READING.has(imported))
        .map((imported) => `${name}: ${imported}`),
    )
    expect(writing).toEqual([])
    expect(others.filter(({ text }) => /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)\b|require\(|import\(/.test(text))).toEqual(
      [],
    )
  })

  it('that one asks for the grant before anything else', () => {
    const writer = sources.find(({ name }) => name === WRITER)?.text ?? ''
    expect(importsOfFileSystem(writer)).toContain('rename')
    expect(writer.match(/^export (async )?function \w+/gm)).toEqual(['export async function replaceFile'])
    expect(writer).toMatch(/replaceFile\([^{]*\{\n[^\n]*\n {2}requireGrant\(grant, tool\)\n/)
  })
})
