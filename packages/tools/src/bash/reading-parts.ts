// Prepares a command that was judged read-only. It can only run programs from outside the workspace, and Git sees a
// repository without its settings. Without these it must not run without approval.
import { delimiter, dirname, isAbsolute } from 'node:path'
import type { Workspace } from '@polylogue/engine'
import { type ShadowOptions, createShadowRepository } from '../git/shadow-repository.ts'
import { findProgram, machineProgram } from '../machine-program.ts'
import { isWithin } from '../protected/path-order.ts'
import { realPathOf } from '../real-path.ts'

export interface ReadingParts {
  /** Further folders that the command reads. */
  readonly folders: readonly string[]
  change(environment: Readonly<Record<string, string>>): Record<string, string>
  remove(): Promise<void>
}

export interface ReadingOptions extends ShadowOptions {
  /** For a copy of the repository's state. */
  readonly folder: string
}

/** Rejects with a sentence when the command needs the settings of the repository. */
export async function prepareReading(
  command: string,
  workspace: Workspace,
  { folder, isContained }: ReadingOptions,
): Promise<ReadingParts> {
  const path = programsOutside(process.env['PATH'] ?? '', workspace.roots)
  if (!/^git\s/.test(command.trim())) {
    return { folders: [], change: (environment) => ({ ...environment, PATH: path }), remove: async () => {} }
  }
  const known = machineProgram('git')
  const program = path.split(delimiter).includes(dirname(known)) ? known : findProgram('git', path)
  const shadow = program && (await createShadowRepository(workspace.cwd, folder, { program, isContained }))
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
