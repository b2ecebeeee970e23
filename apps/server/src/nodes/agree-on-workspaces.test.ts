import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { agreeOnWorkspaces } from './agree-on-workspaces.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'polylogue-shared-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const storage = { agree: async () => true, valuesOf: async () => [] }

it('notices whenever another directory, or none, is at the path', async () => {
  const shared = await agreeOnWorkspaces(storage, { role: 'all', directory })
  const marker = join(directory, '.polylogue-workspaces')
  const isMounted = (): Promise<boolean> | undefined => shared?.isMounted()
  expect([await isMounted(), await isMounted()]).toEqual([true, true])
  renameSync(marker, `${marker}.away`)
  expect(await isMounted()).toBe(false)
  // The marker of another directory has the same length.
  writeFileSync(marker, `${'0'.repeat(32)}\n`)
  expect([await isMounted(), await isMounted()]).toEqual([false, false])
  renameSync(`${marker}.away`, marker)
  expect([await isMounted(), await isMounted()]).toEqual([true, true])
  writeFileSync(
    marker,
    readFileSync(marker, 'utf8').replace(/^./, (first) => (first === '0' ? '1' : '0')),
  )
  expect(await isMounted()).toBe(false)
})
