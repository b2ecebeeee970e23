import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findProgram, machineProgram } from './machine-program.ts'

function place(...programs: readonly string[]): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-test-')))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const program of programs) {
    mkdirSync(join(dir, program, '..'), { recursive: true })
    writeFileSync(join(dir, program), '')
    chmodSync(join(dir, program), 0o755)
  }
  return dir
}

it('is the first one on the path, those of packages last', () => {
  const dir = place('node_modules/.bin/tool', 'one/tool', 'two/tool', 'node_modules/.bin/only')
  const path = ['node_modules/.bin', 'one', 'two'].map((name) => join(dir, name)).join(':')
  expect(findProgram('tool', path)).toBe(join(dir, 'one/tool'))
  expect(findProgram('only', path)).toBe(join(dir, 'node_modules/.bin/only'))
})

it('is never one of a relative folder, a folder, or a file that cannot be run', () => {
  const dir = place('folder/tool/x', 'plain/tool')
  chmodSync(join(dir, 'plain/tool'), 0o644)
  expect(findProgram('tool', `.:bin::${dir}/folder:${dir}/plain`)).toBeUndefined()
})

it('stays the one that was found first', () => {
  const first = machineProgram('mkfifo')
  expect(first).toMatch(/^\/.*\/mkfifo$/)
  const dir = place('mkfifo')
  const before = process.env['PATH']
  onTestFinished(() => void (process.env['PATH'] = before))
  process.env['PATH'] = `${dir}:${before}`
  expect(machineProgram('mkfifo')).toBe(first)
  expect(machineProgram('./mkfifo')).toBe('./mkfifo')
  expect(machineProgram('no-such-program')).toBe('no-such-program')
})
