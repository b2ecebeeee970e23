// The recipe for a built-in tool, followed word by word in a copy of the checkout.
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type CheckoutCopy, copyCheckout } from '../mutants/checkout-copy.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { applyDiff, blocksOfSection } from './recipe.ts'
import { readRepositoryText } from './repository-pages.ts'
import { toPattern } from './shown-output.ts'

const run = promisify(execFile)
const blocks = blocksOfSection(readRepositoryText('CONTRIBUTING.md'), 'Add a built-in tool')

describe('the recipe for a built-in tool', () => {
  let copy: CheckoutCopy
  beforeAll(async () => {
    copy = await copyCheckout()
    for (const { words, text } of blocks) {
      const [, verb, path = ''] = words
      if (verb === 'create') {
        await mkdir(dirname(join(copy.path, path)), { recursive: true })
        await writeFile(join(copy.path, path), `${text}\n`)
      }
      if (words[0] === 'diff') {
        const file = join(copy.path, verb ?? '')
        await writeFile(file, applyDiff(await readFile(file, 'utf8'), text))
      }
    }
  })
  afterAll(() => copy[Symbol.asyncDispose]())

  it('creates files, changes others and says what to try', () => {
    const kinds = blocks.map(({ words }) => (words[0] === 'diff' ? 'diff' : words[1]))
    expect(kinds).toEqual(['create', 'create', 'diff', 'diff', 'diff', 'diff', 'run', 'output'])
  })

  it('gives a tool whose tests pass', async () => {
    const { passed, failed, output } = await copy.run({ file: 'packages/tools/src/count-words', test: '' })
    expect({ passed: passed.length, failed, output }).toMatchObject({ passed: 2, failed: [] })
  })

  it('gives sources that fit the house and have no wrong type', async () => {
    const { failed, passed } = await copy.run({ file: 'tests/architecture.test.ts', test: 'in our sources' })
    expect({ isTried: passed.length > 5, failed }).toEqual({ isTried: true, failed: [] })
    const changed = ['packages/tools/src/count-words', 'apps/server/src/agents/built-in-tools.ts']
    await writeFile(
      join(copy.path, 'tsconfig.recipe.json'),
      JSON.stringify({ extends: './tsconfig.json', include: changed }),
    )
    const tsc = ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.recipe.json']
    const types = await run(process.execPath, tsc, { cwd: copy.path }).catch((error: { stdout: string }) => error)
    expect(types.stdout).toBe('')
  }, 120_000)

  it('gives an agent that has the tool', async () => {
    const place = await createTempDir()
    onTestFinished(() => place.remove())
    const [command, output] = ['run', 'output'].map((mark) => blocks.find(({ words }) => words[1] === mark)?.text ?? '')
    const line = (command ?? '').replace('./polylogue', `'${join(copy.path, 'polylogue')}'`)
    const env = { ...process.env, POLYLOGUE_DATA: join(place.path, 'data') }
    const { stdout } = await run('bash', ['-c', `${line} 2>&1`], { cwd: place.path, env })
    expect(stdout.trim()).toMatch(toPattern(output ?? ''))
  })
})

describe('a change in a recipe', () => {
  const change = ' a\n+b\n-c\n d'

  it('is applied once, where its context is', () => {
    expect(applyDiff('0\na\nc\nd\n', change)).toBe('0\na\nb\nd\n')
  })

  it.each(['a\nd\n', 'a\nc\nd\na\nc\nd\n'])('is refused where it does not fit, or fits twice', (text) => {
    expect(() => applyDiff(text, change)).toThrow(/times, not once/)
  })
})
