import { expect, it } from 'vitest'
import { z } from 'zod'
import * as late from './late-locales.ts'
import { createResolve } from './resolve-own-files.ts'

const OWN = new URL('./main.ts', import.meta.url).href
const byNode = (specifier: string) => ({ url: `node:${specifier}`, format: 'builtin' })

it('takes a relative import of our own files as it is written', () => {
  const resolve = createResolve()
  expect(resolve('../b/c.ts', { parentURL: OWN }, byNode)).toEqual({
    url: new URL('../b/c.ts', import.meta.url).href,
    format: 'module-typescript',
    shortCircuit: true,
  })
  expect(resolve('./d.js', { parentURL: OWN }, byNode)).toMatchObject({ format: 'module' })
})

it('asks Node once for a workspace, whoever imports it', () => {
  const resolve = createResolve()
  const asked: string[] = []
  const next = (specifier: string) => {
    asked.push(specifier)
    return { url: 'file:///engine/index.ts', format: 'module-typescript' }
  }
  const other = new URL('../../server/src/serve.ts', import.meta.url).href
  for (const parentURL of [OWN, other]) {
    expect(resolve('@polylogue/engine', { parentURL }, next).url).toBe('file:///engine/index.ts')
  }
  expect(asked).toEqual(['@polylogue/engine'])
})

it('asks Node once for a package that files of a workspace import, and again for `require` and for other workspaces', () => {
  const resolve = createResolve()
  const asked: string[] = []
  const next = (specifier: string) => {
    asked.push(specifier)
    return { url: `file:///${specifier}/${asked.length}.js`, format: 'module' }
  }
  const beside = new URL('./commands/serve.ts', import.meta.url).href
  const elsewhere = new URL('../../server/src/serve.ts', import.meta.url).href
  const [byImport, byRequire] = [
    ['node', 'import'],
    ['node', 'require'],
  ]
  const urls = [
    resolve('commander', { parentURL: OWN, conditions: byImport }, next).url,
    resolve('commander', { parentURL: beside, conditions: byImport }, next).url,
    resolve('commander', { parentURL: OWN, conditions: byRequire }, next).url,
    resolve('commander', { parentURL: elsewhere, conditions: byImport }, next).url,
  ]
  expect(urls).toEqual([1, 1, 2, 3].map((number) => `file:///commander/${number}.js`))
})

it('knows the modules of Node', () => {
  expect(createResolve()('node:fs', { parentURL: OWN }, byNode)).toEqual({
    url: 'node:fs',
    format: 'builtin',
    shortCircuit: true,
  })
})

it('takes a relative import of the zod that our files use as it is written, and no other', () => {
  const resolve = createResolve()
  const zod = import.meta.resolve('zod')
  const other = 'file:///home/anna/node_modules/zod/index.js'
  const next = (specifier: string) => ({ url: specifier === 'zod' ? zod : specifier, format: 'module' })
  expect(resolve('./v4/index.js', { parentURL: zod }, next).url).toBe('./v4/index.js')
  resolve('zod', { parentURL: OWN }, next)
  expect(resolve('./v4/index.js', { parentURL: zod }, next).url).toBe(new URL('./v4/index.js', zod).href)
  expect(resolve('./index.cjs', { parentURL: zod }, next).url).toBe('./index.cjs')
  expect(resolve('./v4/index.js', { parentURL: other }, next).url).toBe('./v4/index.js')
})

it('joins paths as URLs do', () => {
  const resolve = createResolve()
  for (const specifier of [
    './a.ts',
    '../a.ts',
    './b/c.ts',
    '../../../packages/engine/src/index.ts',
    '../b/d.e.ts',
    './b/../c.ts',
    '.././a.ts',
  ]) {
    expect(resolve(specifier, { parentURL: OWN }, byNode).url).toBe(new URL(specifier, OWN).href)
  }
})

it('leaves everything else to Node: files of other packages, URLs, configurations of users, and the start itself', () => {
  const resolve = createResolve()
  const inPackage = new URL('../../../node_modules/zod/index.js', import.meta.url).href
  const below = new URL('../node_modules/x/index.js', import.meta.url).href
  for (const [specifier, parentURL] of [
    ['file:///home/anna/polylogue.config.ts', OWN],
    ['#inside', OWN],
    ['data:text/javascript,1', OWN],
    ['./data.json', OWN],
    ['./v4/index.js', inPackage],
    ['./lib.js', below],
    ['./tools.ts', 'file:///home/anna/agents/polylogue.config.ts'],
    ['./tools.ts', new URL('../../../examples/a/polylogue.config.ts', import.meta.url).href],
    ['file:///main.ts', undefined],
  ] as const) {
    expect(resolve(specifier, { parentURL }, byNode)).toEqual(byNode(specifier))
  }
})

it('has every language of zod, each loaded when it is asked for', () => {
  const resolve = createResolve()
  resolve('zod', { parentURL: OWN }, () => ({ url: import.meta.resolve('zod'), format: 'module' }))
  const inZod = new URL('./v4/classic/external.js', import.meta.resolve('zod')).href
  expect(resolve('../locales/index.js', { parentURL: inZod }, byNode).url).toBe(
    new URL('./late-locales.ts', import.meta.url).href,
  )
  expect(Object.keys(late).sort()).toEqual(Object.keys(z.locales).sort())
  const spoken = (locales: object): readonly unknown[] =>
    Object.entries(locales)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, locale]: [string, typeof late.en]) => [name, locale().localeError(issue())])
  expect(spoken(late)).toEqual(spoken(z.locales))
})

const issue = (): Parameters<ReturnType<typeof late.en>['localeError']>[0] => ({
  code: 'invalid_type',
  expected: 'string',
  input: 1,
  path: [],
  message: '',
})
