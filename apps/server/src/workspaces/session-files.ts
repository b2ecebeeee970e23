import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'
import type { ServeOptions } from '../serve-options.ts'

/** Where the files of sessions are: their own directories, long outputs, their skills. */
export const sessionFilesDir = ({ workspaces, dataDir }: Pick<ServeOptions, 'workspaces' | 'dataDir'>): string =>
  workspaces ?? dataDir

/** Skills of sessions, in a folder for each. */
export const sessionSkillsDir = (filesDir: string): string => join(filesDir, 'session-skills')

/** Creates the directory that `--workspaces` names, for this user only. Rejects with a `ServeError`. */
export async function prepareSessionFiles(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new ServeError(`The directory ${directory} cannot be made. Choose another with --workspaces.`, EXIT_CONFIG, {
      cause: error,
    })
  }
}
