import { createInvocation } from '@polylogue/testkit'
import { createFileTools, createProtectedSet } from '@polylogue/tools'
import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { requireTool } from '../house/require-tool.ts'
import { createTempDir } from '../support/temp-dir.ts'

const NAMES = ['a', 'b', 'foo', 'bar.txt', 'a b', '#c', '!d', '[x]', '.e']
const PATHS = ['', 'a/', 'foo/', 'a/foo/', 'b/a/', 'deep/er/'].flatMap((at) => NAMES.map((name) => `${at}-${name}`))

const pattern = fc.oneof(
  fc.constantFrom('-a', '/-b', 'foo/', 'a/-*', '**/-bar.txt', 'deep/**', 'a/**/-a', '*.txt', '-[a-b]', '-[!a]*', '**'),
  fc.constantFrom(
    '\\#c',
    '-#c',
    '\\!d',
    '-?d',
    '-a b  ',
    '-a\\ b',
    '-\\[x]',
    '-\\a',
    '# no',
    '!',
    '/',
    '-é',
    'b/a',
    '-*/',
  ),
  fc.constantFrom(
    '/**/-a',
    '**/foo/**',
    'foo/**/',
    '/a/',
    'a/foo',
    '-[',
    '-[a',
    '[-]a',
    '-[]-a]',
    '?a',
    '*',
    '/*',
    '*/*',
  ),
  fc
    .array(fc.constantFrom('*', '**', '?', '/', '-', 'a', 'foo', 'b', '[ab]', '.txt'), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join('')),
)
const rules = fc.array(
  fc.tuple(fc.boolean(), pattern).map(([isException, text]) => (isException ? `!${text}` : text)),
  { minLength: 1, maxLength: 3 },
)

it('a search leaves out what git leaves out', async () => {
  const git = requireTool('git', 'git')
  const temp = await createTempDir()
  onTestFinished(() => temp.remove())
  const put = (path: string, text = ''): void => {
    mkdirSync(dirname(join(temp.path, path)), { recursive: true })
    writeFileSync(join(temp.path, path), text)
  }
  // Whatever this machine's user ignores everywhere is not meant.
  const env = { PATH: process.env['PATH'], HOME: temp.path, GIT_CONFIG_NOSYSTEM: '1', XDG_CONFIG_HOME: temp.path }
  const run = (...args: string[]): string => execFileSync(git, ['-C', temp.path, ...args], { encoding: 'utf8', env })
  run('init', '--quiet')
  for (const path of PATHS) put(path)
  const glob = createFileTools({ protectedSet: createProtectedSet({}) }).find(({ name }) => name === 'Glob')
  if (!glob) throw new Error('there is no Glob')
  const workspace = { cwd: temp.path, roots: [temp.path] }
  const property = fc.asyncProperty(rules, rules, async (top, below) => {
    put('.gitignore', top.join('\r\n'))
    put('a/.gitignore', below.join('\n'))
    const left = run('ls-files', '-z', '--others', '--exclude-standard').split('\0').filter(Boolean).sort()
    const { content } = await glob.run(createInvocation(glob, { pattern: '**' }, { workspace }))
    expect(content).toBe(left.join('\n') || 'No files match.')
  })
  await fc.assert(property, { numRuns: 150, seed: 20_260_101 })
}, 120_000)
