import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findInstallRoots } from './install-roots.ts'

it('folders of PATH that cannot be looked at are left out', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'tools'))
  symlinkSync('loop', join(folder, 'loop'))
  const path = [join(folder, 'loop'), join(folder, 'none'), join(folder, 'tools')].join(':')
  expect(findInstallRoots(path, '/home/nobody')).toEqual([{ path: join(folder, 'tools'), links: [] }])
})
