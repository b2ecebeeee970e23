import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory } from '../data-dir.ts'
import { EXIT_CONFIG, ServeError } from '../serve-error.ts'
import type { ServeOptions } from '../serve-options.ts'

/** Where the files of sessions are: their own directories, long outputs, their skills. */
export const sessionFilesDir = ({ workspaces, dataDir }: Pick<ServeOptions, 'workspaces' | 'dataDir'>): string =>
  workspaces ?? dataDir

/** Skills of sessions, in a folder for each. */
export const sessionSkillsDir = (filesDir: string): string => join(filesDir, 'session-skills')

/** Creates the directory that `--workspaces` names, for this user only, or checks it. Throws a `ServeError`. */
export function prepareSessionFiles(directory: string): void {
  try {
    makeDirectory(directory)
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ServeError(`The directory ${directory} cannot be used. Choose another with --workspaces.`, EXIT_CONFIG, {
      cause: error,
    })
  }
}
