import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly dependencies?: Readonly<Record<string, string>> }>
  >
}

const EXACT = /^\d+\.\d+\.\d+$/

/** Users install the versions that our packages name; tests run with the locked ones. */
it('every dependency that is named by an exact version is locked in that version', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lockfile
  const ours = Object.entries(packages).filter(([path]) => path !== '' && !path.includes('node_modules'))
  const named = ours.flatMap(([path, { dependencies = {} }]) =>
    Object.entries(dependencies)
      .filter(([, version]) => EXACT.test(version))
      .map(([name, version]) => ({ path, name, version })),
  )
  expect(named.length).toBeGreaterThan(30)
  const wrong = named.filter(({ path, name, version }) => {
    const locked = packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`]
    return locked?.version !== undefined && locked.version !== version
  })
  expect(wrong).toEqual([])
})
