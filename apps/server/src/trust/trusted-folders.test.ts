import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
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
  it('is its file, the local files that it imports in any syntax, and agents', async () => {
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

  it('is nothing when there is none', async () => {
    await write('src/a.ts', '')
    expect(readFolderConfig(folder)).toBeUndefined()
  })

  it('is trusted after confirmation, under any name of the folder', async () => {
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
    ['a skill is added', 'skills/two/SKILL.md', ''],
    ['a file beside a skill changes', 'skills/one/run.sh', 'changed'],
    ['a file that is imported without its ending changes', 'legacy.js', 'changed()'],
    ['a file behind an alias changes', 'aliased.ts', 'changed()'],
    ['the alias itself changes', 'package.json', '{"imports": {"#x": "./a.ts"}}'],
    ['a file that a worker loads changes', 'worker.mjs', 'changed()'],
    ['a large import changes and keeps its size', 'large.json', `"${'b'.repeat(5_000_000)}"`],
  ])('is no longer trusted when %s', async (_, name, content) => {
    await write(
      'polylogue.config.ts',
      "import './a.ts'\nimport '#x'\nrequire('./legacy')\nnew Worker(new URL('./worker.mjs', import.meta.url))\n" +
        "import large from './large.json' with { type: 'json' }\n",
    )
    await write('a.ts', '')
    await write('legacy.js', '')
    await write('aliased.ts', '')
    await write('package.json', '{"imports": {"#x": "./aliased.ts"}}')
    await write('worker.mjs', '')
    await write('large.json', `"${'a'.repeat(5_000_000)}"`)
    await write('agents/one.md', '')
    await write('skills/one/SKILL.md', '')
    await write('skills/one/run.sh', '')
    trustNow()
    expect(isTrustedNow()).toBe(true)
    await write(name, content)
    expect(isTrustedNow()).toBe(false)
  })

  it('is no longer trusted when a link of an import leads to another file', async () => {
    await write('polylogue.config.ts', "import './linked.ts'\n")
    await write('one.ts', 'same')
    await write('two.ts', "import './three.ts'")
    await write('three.ts', '')
    await symlink(join(folder, 'one.ts'), join(folder, 'linked.ts'))
    trustNow()
    await rm(join(folder, 'linked.ts'))
    await symlink(join(folder, 'two.ts'), join(folder, 'linked.ts'))
    expect(isTrustedNow()).toBe(false)
    trustNow()
    await write('three.ts', 'changed()')
    expect(isTrustedNow()).toBe(false)
  })

  it('is its skills alone where there is no configuration, and not a folder that only has that name', async () => {
    await write('skills/README.md', '')
    expect(readFolderConfig(folder)).toBeUndefined()
    await write('skills/one/SKILL.md', '')
    expect(readFolderConfig(folder)?.files).toEqual(['skills/one/SKILL.md'])
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

describe('what the server would read', () => {
  it('is covered through links, also when a link is all there is', async () => {
    await write('docs/evil/SKILL.md', 'one')
    await mkdir(join(folder, 'skills'))
    await symlink('../docs/evil', join(folder, 'skills/evil'))
    expect(readFolderConfig(folder)?.files).toEqual(['skills/evil/SKILL.md'])
    trustNow()
    await write('docs/evil/SKILL.md', 'two')
    expect(isTrustedNow()).toBe(false)
  })

  it.each([
    ['a hidden file', 'skills/one/.run.sh'],
    ['a file in a hidden folder', 'skills/one/.hidden/run.sh'],
    ['a file behind a link', 'scripts/run.sh'],
    ['a skill of another folder that the configuration names', 'more/two/SKILL.md'],
    ['a file of such a skill', 'more/two/run.sh'],
  ])('covers %s', async (_, name) => {
    await write('polylogue.config.json', '{"skills": ["./more"]}')
    for (const file of ['skills/one/SKILL.md', 'more/two/SKILL.md', name]) await write(file, 'one')
    await mkdir(join(folder, 'scripts'), { recursive: true })
    await symlink('../../scripts', join(folder, 'skills/one/lib'))
    await symlink('..', join(folder, 'skills/one/loop'))
    trustNow()
    expect(isTrustedNow()).toBe(true)
    await write(name, 'two')
    expect(isTrustedNow()).toBe(false)
  })

  it('is refused if it is too much to cover', async () => {
    await write('skills/one/SKILL.md', '')
    await write('skills/one/data', '')
    await truncate(join(folder, 'skills/one/data'), 50 * 1024 ** 3)
    expect(() => readFolderConfig(folder)).toThrow(/cannot be trusted: .* more than 268435456 bytes\.$/)
    await rm(join(folder, 'skills'), { recursive: true })
    await write('polylogue.config.mjs', "import './large.mjs'")
    await write('large.mjs', '')
    await truncate(join(folder, 'large.mjs'), 5 * 1024 ** 2)
    expect(() => readFolderConfig(folder)).toThrow(/cannot be trusted: .*large\.mjs is larger than 4194304 bytes\.$/)
  })
})
