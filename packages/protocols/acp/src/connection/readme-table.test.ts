import { createFakeParts, loadAcpFrameChecker } from '@polylogue/testkit'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { usingWorlds } from '../test-support/using-worlds.ts'

const open = usingWorlds(() => ({ ...createFakeParts(), check: loadAcpFrameChecker }))

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const source = readFileSync(new URL('./methods.ts', import.meta.url), 'utf8')

it('the README lists every method that a client may ask, and only those', async () => {
  const table = readme.slice(readme.indexOf('| the client asks |'), readme.indexOf('| the agent sends |'))
  const rows = table.split('\n').slice(2)
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1]?.matchAll(/`([^`]+)`/g) ?? [])].map(([, name = '']) => name),
  )
  const written = [...source.matchAll(/^\s*\[?'((?:session\/)?[a-z_]+)',/gm)].map(([, name = '']) => name)
  expect(listed).toEqual(expect.arrayContaining(written))
  const { client } = await open().connect()
  for (const method of listed.filter((name) => !name.startsWith('$/'))) {
    const { error } = await client.call(method, {})
    expect([method, error?.code]).not.toEqual([method, -32601])
  }
})

it('every file that the README names exists', () => {
  const named = [...readme.matchAll(/`((?:[a-z-]+\/)?[a-z-]+\.ts)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
})
