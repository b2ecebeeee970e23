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

it('leaves everything else to Node: other packages, configurations of users, and the start itself', () => {
  const resolve = createResolve()
  const inPackage = new URL('../../../node_modules/zod/index.js', import.meta.url).href
  const below = new URL('../node_modules/x/index.js', import.meta.url).href
  for (const [specifier, parentURL] of [
    ['zod', OWN],
    ['node:fs', OWN],
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
