import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ACTING_FILES, OWN_BUSINESS } from './house/effects.ts'
import { type Manifest, createHouse, readHouse } from './house/house.ts'
import { RULES } from './house/rules.ts'

const house = readHouse(fileURLToPath(new URL('..', import.meta.url)))

const exports = { '.': './src/index.ts' }
const SMALL_HOUSE: Record<string, Manifest> = {
  'package.json': { name: 'polylogue', devDependencies: { vitest: '*' } },
  'apps/cli/package.json': { name: '@polylogue/cli', exports },
  'apps/server/package.json': { name: '@polylogue/server', exports, dependencies: { zod: '*' } },
  'packages/engine/package.json': { name: '@polylogue/engine', exports, dependencies: { zod: '*' } },
  'packages/models/package.json': { name: '@polylogue/models', exports },
  'packages/protocols/aap/package.json': { name: '@polylogue/aap', exports },
  'packages/protocols/kit/package.json': { name: '@polylogue/kit', exports },
  'packages/stores/sqlite/package.json': { name: '@polylogue/store-sqlite', exports },
  'packages/testkit/package.json': { name: '@polylogue/testkit', exports, dependencies: { '@polylogue/engine': '*' } },
  'packages/tools/package.json': { name: '@polylogue/tools', exports },
}

describe('in our sources', () => {
  it.each(RULES)('$sentence', ({ find }) => {
    expect(find(house)).toEqual([])
  })

  it('cluster 3: only apps/server/src/stores.ts of the server names a store', () => {
    const server = house.files.filter(({ path }) => path.startsWith('apps/server/src/') && !path.includes('.test.'))
    const naming = server.filter(({ text }) => /@polylogue\/store-(?!rows)/.test(text)).map(({ path }) => path)
    expect(naming).toEqual(['apps/server/src/stores.ts'])
  })

  it('the rules see every room', () => {
    const folders = house.rooms.map(({ folder }) => folder)
    expect(folders).toEqual(
      expect.arrayContaining(['.', 'apps/cli', 'apps/server', 'packages/engine', 'packages/stores/sqlite']),
    )
    expect(house.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'packages/engine/src/index.ts',
        'tests/architecture.test.ts',
        'scripts/bootstrap.mjs',
        'vitest.config.ts',
      ]),
    )
  })
})

it('the files that may have effects are all there', () => {
  const paths = house.files.map(({ path }) => path)
  expect([...ACTING_FILES, ...Object.keys(OWN_BUSINESS)].filter((path) => !paths.includes(path))).toEqual([])
})

describe('a bad example is found by the rule that', () => {
  it.each(RULES)('$sentence', ({ find, brokenBy, brokenManifests, complaints }) => {
    expect(find(createHouse({ ...SMALL_HOUSE, ...brokenManifests }, brokenBy))).toEqual(complaints)
  })

  it('every rule has one', () => {
    expect(RULES.filter(({ complaints }) => complaints.length === 0)).toEqual([])
  })
})
