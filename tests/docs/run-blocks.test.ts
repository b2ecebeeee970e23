import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTempDir } from '../support/temp-dir.ts'
import { type ShellRun, runDocumentedCommands } from './documented-shell.ts'
import { parsePage } from './markdown.ts'
import { ROOT, readRepositoryPage } from './repository-pages.ts'
import { findRunnablePages, isMarked, pagesTriedElsewhere } from './run-blocks.ts'
import { toPattern } from './shown-output.ts'

const LOAD_CONFIGS = fileURLToPath(new URL('./load-configs.ts', import.meta.url))
const pages = findRunnablePages()
/** A translation shows the commands of its original, which `translations.test.ts` compares: they run once. */
const originals = pages.filter(({ path }) => !path.startsWith('docs/zh/'))

describe('blocks that are marked run', () => {
  it('are on the pages that a newcomer reads first', () => {
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['README.md', 'docs/client.md', 'docs/guide/getting-started.md', 'docs/models.md']),
    )
  })

  it.each(pagesTriedElsewhere())('of %s have a test of their own, %s', (page, test) => {
    expect(readRepositoryPage(page).blocks.some(isMarked) || page === 'CONTRIBUTING.md').toBe(true)
    expect(existsSync(join(ROOT, test))).toBe(true)
  })

  it('are found with the mark anywhere after the language', () => {
    const { blocks } = parsePage('```sh run\na\n```\n```ts config run\nb\n```\n```sh\nrun c\n```\n```run\nd\n```')
    expect(blocks.filter(isMarked).map(({ text }) => text)).toEqual(['a', 'b'])
  })
})

describe.each(originals.filter(({ commands }) => commands.length > 0))('the commands of $path', ({ commands }) => {
  let run: ShellRun
  beforeAll(async () => {
    const scripts = commands.map(({ script }) => script)
    run = await runDocumentedCommands({ serverFlags: '--scripted', commands: scripts, mustSucceed: true })
  }, 150_000)

  it.each(commands.map((command, index) => ({ ...command, index })))('succeed, line $line', ({ index, shown }) => {
    expect(run.outputs[index]?.trim()).toMatch(shown === undefined ? /^[^]/ : toPattern(shown))
  })
})

describe('a configuration that is marked run', () => {
  const configs = pages.flatMap(({ path, configs: own }) => own.map((config) => ({ path, ...config })))
  const wrong = { path: 'none', line: 1, text: 'export default { retentoin: { days: 90 } }' }
  let results: readonly unknown[]
  beforeAll(async () => {
    const dir = await createTempDir()
    try {
      const folders = [...configs, wrong].map((_, index) => join(dir.path, String(index)))
      for (const [index, { text }] of [...configs, wrong].entries()) {
        await mkdir(folders[index] ?? '')
        await writeFile(join(folders[index] ?? '', 'polylogue.config.ts'), text)
      }
      const { stdout } = await promisify(execFile)(process.execPath, [LOAD_CONFIGS, ...folders])
      results = stdout
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line))
    } finally {
      await dir.remove()
    }
  })

  it.each(configs.map((config, index) => ({ ...config, index })))('is accepted: $path, line $line', ({ index }) => {
    expect(results[index]).toBe('polylogue.config.ts')
  })

  it('is refused if it has a setting that does not exist', () => {
    expect(results.at(-1)).toMatch(/retentoin/)
  })
})
