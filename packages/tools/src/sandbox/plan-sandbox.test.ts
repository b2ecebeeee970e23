import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Directory, openRoot } from '../files/directory.ts'
import { createProtectedSet } from '../protected/protected-set.ts'
import { type PlannedSandbox, type SandboxPlanner, createSandboxPlanner } from './plan-sandbox.ts'

let folder: string
let config: string
let root: Directory
let planner: SandboxPlanner

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plan-sandbox-')))
  const work = join(folder, 'work')
  mkdirSync(work)
  config = join(work, 'polylogue.config.ts')
  root = await openRoot(work)
  const protectedSet = createProtectedSet({ guarded: [config], homes: [join(folder, 'home')] })
  planner = createSandboxPlanner({ protectedSet, stateDir: join(folder, 'state') })
})

afterEach(async () => {
  await root.handle.close()
  rmSync(folder, { recursive: true })
})

const plan = (): Promise<PlannedSandbox> =>
  planner.plan({ cwd: root.path, roots: [root], readable: [], granted: [], named: [], network: false })

const coverOf = ({ plan: { mounts } }: PlannedSandbox): unknown => mounts.find(({ path }) => path === config)

it('keeps the place of a configuration taken until the last of two commands has ended', async () => {
  const first = await plan()
  const second = await plan()
  expect([coverOf(first), coverOf(second)]).toEqual([
    { type: 'hidden', path: config, isFolder: true },
    { type: 'hidden', path: config, isFolder: true },
  ])
  await first.close()
  expect(existsSync(config)).toBe(true)
  await second.close()
  expect(readdirSync(root.path)).toEqual([])
})

it('covers a configuration that exists, and leaves it', async () => {
  writeFileSync(config, 'mine')
  const only = await plan()
  expect(coverOf(only)).toEqual({ type: 'hidden', path: config, isFolder: false })
  await only.close()
  expect(existsSync(config)).toBe(true)
})

it('covers a configuration that took the place of an empty folder', async () => {
  const first = await plan()
  rmSync(config, { recursive: true })
  writeFileSync(config, 'mine')
  const second = await plan()
  expect(coverOf(second)).toEqual({ type: 'hidden', path: config, isFolder: false })
  await first.close()
  await second.close()
  expect(existsSync(config)).toBe(true)
})
