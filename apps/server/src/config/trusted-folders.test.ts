import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir } from '../test-support/temp-dir.ts'
import { isTrusted, readFolderConfig, trustFolder } from './trusted-folders.ts'

let folder: string
let env: NodeJS.ProcessEnv
beforeEach(() => {
  folder = makeTempDir()
  env = { XDG_CONFIG_HOME: makeTempDir() }
})

const write = async (name: string, content: string): Promise<void> => {
  await mkdir(join(folder, name, '..'), { recursive: true })
  await writeFile(join(folder, name), content)
}
const trustNow = (): void => {
  const config = readFolderConfig(folder)
  if (config !== undefined) trustFolder(config, env)
}
const isTrustedNow = (directory = folder): boolean => {
  const config = readFolderConfig(directory)
  return config !== undefined && isTrusted(config, env)
}

describe('the configuration of a folder', () => {
  it('is its file, the local files that it imports, however they are written, and agents', async () => {
    await write(
      'polylogue.config.ts',
      "import { a } from './a.ts'\nconst b = await import(`./deep/b.ts`)\nimport 'zod'\n",
    )
    await write('a.ts', "export { c } from './c.js'\n")
    await write('deep/b.ts', "const d = require('../d.cjs')\n")
    for (const name of ['c.js', 'd.cjs', 'unused.ts', 'agents/one.md', 'agents/notes.txt']) await write(name, '')
    expect(readFolderConfig(folder)?.files).toEqual(
      ['a.ts', 'agents/one.md', 'c.js', 'd.cjs', 'deep/b.ts', 'polylogue.config.ts'].toSorted(),
    )
  })

  it('is nothing where there is none', async () => {
    await write('src/a.ts', '')
    expect(readFolderConfig(folder)).toBeUndefined()
  })

  it('is trusted once somebody has trusted it, under any name of the folder', async () => {
    await write('polylogue.config.json', '{}')
    expect(isTrustedNow()).toBe(false)
    trustNow()
    expect(isTrustedNow()).toBe(true)
    const link = join(makeTempDir(), 'link')
    await symlink(folder, link)
    expect(isTrustedNow(link)).toBe(true)
  })

  it.each([
    ['its file changes', 'polylogue.config.ts', "import './a.ts'\n// changed"],
    ['an import changes', 'a.ts', 'changed()'],
    ['an agent changes', 'agents/one.md', 'changed'],
    ['an agent is added', 'agents/two.md', ''],
    ['another configuration is added', 'polylogue.config.json', '{}'],
  ])('is not trusted any more when %s', async (_, name, content) => {
    await write('polylogue.config.ts', "import './a.ts'\n")
    await write('a.ts', '')
    await write('agents/one.md', '')
    trustNow()
    await write(name, content)
    expect(isTrustedNow()).toBe(false)
  })

  it('is not trusted because another folder with the same files is, nor by a damaged list', async () => {
    await write('polylogue.config.json', '{}')
    trustNow()
    const other = makeTempDir()
    await writeFile(join(other, 'polylogue.config.json'), '{}')
    expect(isTrustedNow(other)).toBe(false)
    await writeFile(join(env['XDG_CONFIG_HOME'] ?? '', 'polylogue', 'trusted.json'), '{"half')
    expect(isTrustedNow()).toBe(false)
  })
})
