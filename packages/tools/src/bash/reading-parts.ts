// Prepares a command that was judged read-only. It can only run programs from outside the workspace, and Git sees a
// repository without its settings. Without these it must not run without approval.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Workspace } from '@polylogue/engine'
import { createShadowRepository } from '../git/shadow-repository.ts'
import { isWithin } from '../protected/path-order.ts'
import { realPathOf } from '../real-path.ts'

export interface ReadingParts {
  /** Further folders that the command reads. */
  readonly folders: readonly string[]
  change(environment: Readonly<Record<string, string>>): Record<string, string>
  remove(): Promise<void>
}

/** Rejects with a sentence when the command needs the settings of the repository. */
export async function prepareReading(command: string, workspace: Workspace, folder: string): Promise<ReadingParts> {
  const path = programsOutside(process.env['PATH'] ?? '', workspace.roots)
  if (!/^git\s/.test(command.trim())) {
    return { folders: [], change: (environment) => ({ ...environment, PATH: path }), remove: async () => {} }
  }
  const program = findProgram('git', path)
  const shadow = program && (await createShadowRepository(workspace.cwd, folder, program))
  if (!shadow) throw new Error('this repository can no longer be read without its own settings; call again to be asked')
  return {
    folders: [shadow.folder, ...shadow.outside],
    change: (environment) => ({
      ...environment,
      ...shadow.environment,
      PATH: [shadow.programs, path].join(delimiter),
    }),
    remove: shadow.remove,
  }
}

/** A workspace may contain a program named `ls`. */
function programsOutside(path: string, roots: readonly string[]): string {
  const real = roots.map(realPathOf)
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !real.some((root) => isWithin(realPathOf(folder), root)))
    .join(delimiter)
}

function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
