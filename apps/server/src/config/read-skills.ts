import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SkillError, loadSkills } from '@polylogue/tools'
import { ConfigError } from './config-error.ts'
import type { LoadedConfig } from './load-config.ts'

/** Reads the configured directories, which must exist. Default: `skills` next to the configuration. */
export async function readSkills(
  written: readonly string[] | undefined,
  folder: string,
): Promise<Pick<LoadedConfig, 'skills' | 'skillDirectories'>> {
  const usual = join(folder, 'skills')
  const skillDirectories = written?.map((directory) => resolve(folder, directory)) ?? (existsSync(usual) ? [usual] : [])
  try {
    return { skills: await loadSkills(skillDirectories), skillDirectories }
  } catch (error) {
    if (error instanceof SkillError) throw new ConfigError(error.message, { cause: error })
    throw error
  }
}
