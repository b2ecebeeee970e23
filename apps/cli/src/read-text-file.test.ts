import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readTextFile } from './read-text-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'read-text-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('reads a file', async () => {
  writeFileSync(join(folder, 'a'), 'text')
  expect(await readTextFile('a', join(folder, 'a'))).toBe('text')
})

it('refuses what has no end, and what is too large, in a sentence', async () => {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  writeFileSync(join(folder, 'huge'), '')
  truncateSync(join(folder, 'huge'), 2 ** 31)
  await expect(readTextFile('pipe', join(folder, 'pipe'))).rejects.toThrow('pipe: not a file.')
  await expect(readTextFile('/dev/zero', '/dev/zero')).rejects.toThrow('/dev/zero: not a file.')
  await expect(readTextFile('.', folder)).rejects.toThrow('.: not a file.')
  await expect(readTextFile('huge', join(folder, 'huge'))).rejects.toThrow('huge: larger than 256 MB.')
  await expect(readTextFile('none', join(folder, 'none'))).rejects.toThrow('none: cannot be read.')
})
