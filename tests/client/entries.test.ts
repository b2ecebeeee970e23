// Each entry of the published client is as wide as the client of its door.
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const ROOT = new URL('../../', import.meta.url)

async function exportedNames(path: string): Promise<string[]> {
  const text = await readFile(new URL(path, ROOT), 'utf8')
  return Array.from(text.matchAll(/export (?:type )?\{([^}]*)\}/g), ([, names = '']) => names.split(','))
    .flat()
    .map((name) => name.replace(/^\s*(?:type )?/, '').trim())
    .filter((name) => name !== '')
}

it.each(['aap', 'blade', 'console'])(
  '@polylogue/client/%s exports all names of the client that it wraps',
  async (door) => {
    const names = await exportedNames(`packages/protocols/${door}/src/client/index.ts`)
    expect(names.length).toBeGreaterThan(20)
    expect(await exportedNames(`packages/client/src/${door}/index.ts`)).toEqual(expect.arrayContaining(names))
  },
)
