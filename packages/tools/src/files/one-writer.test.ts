import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const WRITER = 'put-file.ts'
/** For calls of a model, for what a user sends along, and for what a user takes back. */
const CALLERS = ['confined-files.ts', 'replace-file.ts', 'restore-file.ts']
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
    expect(
      others.filter(({ text }) => /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)\b|require\(|import\((?!'\.\/)/.test(text)),
    ).toEqual([])
  })

  it('that one writes for three others, of which the one for tools asks for the grant before anything else', () => {
    const textOf = (file: string): string => sources.find(({ name }) => name === file)?.text ?? ''
    expect(importsOfFileSystem(textOf(WRITER))).toContain('unlink')
    expect(sources.filter(({ text }) => text.includes('renamePatiently')).map(({ name }) => name)).toEqual([WRITER])
    const callers = sources.filter(({ text }) => text.includes(`./${WRITER}`)).map(({ name }) => name)
    expect(callers.sort()).toEqual(CALLERS)
    const forTools = textOf('replace-file.ts')
    expect(forTools.match(/^export (async )?function \w+/gm)).toEqual(['export async function replaceFile'])
    expect(forTools).toMatch(/replaceFile\([^{]*\{\n[^\n]*\n {2}requireGrant\(grant, tool\)\n/)
    const restorers = sources.filter(({ text }) => text.includes('./restore-file.ts')).map(({ name }) => name)
    expect(restorers).toEqual(['confined-files.ts'])
    const users = sources.filter(({ text }) => text.includes('./confined-files.ts')).map(({ name }) => name)
    expect(users).toEqual([])
  })
})
