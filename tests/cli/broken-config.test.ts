import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'

const LOAD_CONFIGS = fileURLToPath(new URL('../docs/load-configs.ts', import.meta.url))
const MODULE = 'import { defineConfig } from "polylogue"\nexport default defineConfig({\n  agents: [,]]\n})\n'

const BROKEN = [
  { kind: 'TypeScript', file: 'polylogue.config.ts', text: MODULE },
  { kind: 'a TypeScript module', file: 'polylogue.config.mts', text: MODULE },
  { kind: 'JavaScript', file: 'polylogue.config.js', text: MODULE },
  { kind: 'a JavaScript module', file: 'polylogue.config.mjs', text: MODULE },
  { kind: 'TypeScript in a CommonJS folder', file: 'polylogue.config.ts', text: MODULE, type: 'commonjs' },
  { kind: 'JavaScript in a CommonJS folder', file: 'polylogue.config.js', text: MODULE, type: 'commonjs' },
  { kind: 'JSON', file: 'polylogue.config.json', text: '{\n "agents": [\n  }\n' },
] as const

let dir: TempDir
let sentences: readonly unknown[]
beforeAll(async () => {
  dir = await createTempDir()
  const folders = BROKEN.map((_, index) => join(dir.path, String(index)))
  for (const [index, broken] of BROKEN.entries()) {
    const folder = folders[index] ?? ''
    await mkdir(folder)
    await writeFile(join(folder, broken.file), broken.text)
    if ('type' in broken) await writeFile(join(folder, 'package.json'), JSON.stringify({ type: broken.type }))
  }
  const { stdout } = await promisify(execFile)(process.execPath, [LOAD_CONFIGS, ...folders])
  sentences = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
})
afterAll(() => dir.remove())

it.each(BROKEN.map((broken, index) => ({ ...broken, index })))(
  'a mistake in the syntax of $kind is one line that names the file and its line',
  ({ file, index }) => {
    expect(sentences[index]).toMatch(
      new RegExp(`^ConfigError: ${file.replaceAll('.', String.raw`\.`)}: line 3\\b[^\\n]+$`),
    )
  },
)
