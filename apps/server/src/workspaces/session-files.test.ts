import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'
import { prepareSessionFiles, sessionFilesDir } from './session-files.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'polylogue-files-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('the directory for the files of sessions', () => {
  it('is the data directory, unless --workspaces names another', () => {
    expect(sessionFilesDir({ dataDir: '/data' })).toBe('/data')
    expect(sessionFilesDir({ dataDir: '/data', workspaces: '/shared' })).toBe('/shared')
  })

  it('is made for its owner alone, and taken as it is where it exists', async () => {
    const path = join(folder, 'deep', 'files')
    prepareSessionFiles(path)
    prepareSessionFiles(path)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  })

  it('is refused in a sentence where it cannot be used', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    for (const path of [file, join(file, 'below'), '/proc/nowhere/files']) {
      const refusal = new ServeError(
        `The directory ${path} cannot be used. Choose another with --workspaces.`,
        EXIT_CONFIG,
      )
      expect(() => prepareSessionFiles(path)).toThrow(refusal)
    }
  })
})
