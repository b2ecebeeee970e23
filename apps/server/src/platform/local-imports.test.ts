import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findLocalImports } from './local-imports.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-imports-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

it('finds what a configuration imports by path, through the files that it imports', () => {
  const folder = folderWith({
    'polylogue.config.ts': `import { a } from './a.ts'\nimport 'zod'\nconst b = await import("./b.js")\n`,
    'a.ts': `export { c } from './c.ts'\nimport { x } from './not-there.ts'\n`,
    'b.js': `const keys = require('./keys.json')\n`,
    'c.ts': `import './a.ts'\n`,
    'keys.json': '{}',
  })
  expect(findLocalImports(join(folder, 'polylogue.config.ts')).toSorted()).toEqual(
    ['a.ts', 'b.js', 'c.ts', 'keys.json'].map((name) => join(folder, name)),
  )
})

it('finds nothing in a file that does not exist, and in one that is no module', () => {
  const folder = folderWith({ 'config.json': `{"a": "import './b.ts'"}`, 'b.ts': '' })
  expect(findLocalImports(join(folder, 'config.json'))).toEqual([])
  expect(findLocalImports(join(folder, 'none.ts'))).toEqual([])
})

const PACKAGE = JSON.stringify({
  name: 'own',
  imports: { '#one': './src/found.mjs', '#src/*': { node: './src/*.mjs', default: './nothing/*.mjs' } },
  exports: { './*': './src/*', './deep/*.js': ['./src/*.mjs'] },
})

it.each([
  ['an alias', `import '#one'`],
  ['an alias with a pattern and conditions', `import '#src/found'`],
  ['the own name of the package', `import 'own/found.mjs'`],
  ['the own name with a pattern', `await import('own/deep/found.js')`],
  ['a long path', `import '${'./'.repeat(2_000)}src/found.mjs'`],
  ['a path in two lines', `import './src/\\\nfound.mjs'`],
  ['an escape before a letter that is a digit too', `import './src/f\\u006fund.mjs'`],
  ['an escape with braces', `import './src/\\u{66}ound.mjs'`],
  ['an octal escape', `require('./src/\\146ound.mjs')`],
  ['a letter in per cent', `import './src/%66ound.mjs'`],
  ['a letter in per cent of a URL', `await import(new URL('./src/%66ound.mjs', import.meta.url))`],
  ['a slash that is written the other way', `import './src\\\\found.mjs'`],
  ['a tab, which no URL has', `import './src/fo\tund.mjs'`],
  ['a query', `import './src/found.mjs?x=1#y'`],
  ['a comment in between', `import/* './x' */('./src/found.mjs')`],
])('finds a module by %s', (_, line) => {
  const folder = folderWith({ 'package.json': PACKAGE, 'a.mjs': `${line}\n`, 'src/found.mjs': '' })
  expect(findLocalImports(join(folder, 'a.mjs'))).toContain(join(folder, 'src/found.mjs'))
})

it('leaves out packages of others', () => {
  const folder = folderWith({ 'package.json': PACKAGE, 'a.mjs': `import 'owner/found.mjs'\n`, 'src/found.mjs': '' })
  expect(findLocalImports(join(folder, 'a.mjs'))).toEqual([])
})
