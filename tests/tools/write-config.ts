import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TempDir } from '../support/temp-dir.ts'

/** A start directory of its own with this configuration, so that data and configuration lie apart. Returns its path. */
export async function writeConfig(dir: TempDir, config: unknown): Promise<string> {
  const folder = join(dir.path, 'start')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'polylogue.config.json'), JSON.stringify(config))
  return folder
}
