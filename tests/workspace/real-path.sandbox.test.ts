import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realPathOf } from '@polylogue/tools'
import { afterEach, expect, it } from 'vitest'
import { startSwapping } from './swap-attacker.ts'

let dir = ''
afterEach(() => rmSync(dir, { recursive: true, force: true }))

it('links are followed while another process swaps a folder and a link', async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'polylogue-real-path-')))
  const [named, link, target] = ['folder', 'link', 'target'].map((name) => join(dir, name)) as [string, string, string]
  for (const folder of [named, target]) mkdirSync(folder)
  symlinkSync(target, link)
  const attacker = await startSwapping([named, link])
  const found = new Set<string>()
  let failures = 0
  try {
    for (let attempt = 0; attempt < 20_000 || (failures === 0 && attempt < 1_000_000); attempt += 1) {
      found.add(realPathOf(named))
      failures += hasFailed(named) ? 1 : 0
    }
  } finally {
    await attacker.stop()
  }
  expect([...found].toSorted()).toEqual([named, target])
  // Node's own function fails under the same attack; otherwise nothing was tested.
  expect(failures).toBeGreaterThan(0)
}, 60_000)

function hasFailed(path: string): boolean {
  try {
    realpathSync(path)
    return false
  } catch {
    return true
  }
}
