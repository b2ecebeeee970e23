import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findLocalImports } from './local-imports.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-imports-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
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
