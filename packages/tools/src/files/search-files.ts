import { join } from 'node:path'
import type { AskedPath } from './asked-path.ts'
import { atSpot } from './at-spot.ts'
import type { Confines } from './confines.ts'
import type { Directory } from './directory.ts'
import { FileProblem } from './file-problem.ts'
import { isIgnored, type IgnoreRules } from './gitignore.ts'
import type { SearchBudget } from './search-limits.ts'
import { readIgnoreRules, walkTree } from './walk-tree.ts'

export interface FoundFile {
  /** The directory that holds it, open until the visit ends. */
  readonly directory: Directory
  readonly name: string
  /** Absolute, as requested. */
  readonly path: string
  /** The path parts below the start of the search. */
  readonly way: readonly string[]
}

export interface FileSearch {
  readonly budget: SearchBudget
  readonly signal: AbortSignal
  /** Called with the files of each directory. `false` ends the search. */
  readonly visit: (files: readonly FoundFile[]) => Promise<boolean>
}

/** One file, or all files below a directory that Git does not ignore. */
export async function searchFiles(confines: Confines, asked: AskedPath, search: FileSearch): Promise<void> {
  await atSpot(confines, asked, async (spot) => {
    if (spot.kind === 'absent') throw new FileProblem('failed', `path: ${asked.shown} does not exist`)
    if (spot.kind === 'file') {
      await search.visit([{ directory: spot.directory, name: spot.name, path: asked.absolute, way: [spot.name] }])
      return
    }
    const before = confines.locate(spot.path)?.parts ?? []
    const ignored = await ignoredAbove(confines, spot.path, before)
    const options = { confines, ...search, before, ...(ignored && { ignored }) }
    for await (const { directory, way, files } of walkTree(spot.directory, options)) {
      const found = files.map((name): FoundFile => {
        const whole = [...way, name]
        return { directory, name, path: join(asked.absolute, ...whole), way: whole }
      })
      if (!(await search.visit(found))) return
    }
  })
}

/** The ignore rules of the parent directories. Empty if they ignore the start itself, which was requested explicitly. */
async function ignoredAbove(
  confines: Confines,
  path: string,
  parts: readonly string[],
): Promise<IgnoreRules | undefined> {
  let rules: IgnoreRules | undefined
  for (const index of parts.keys()) {
    const absolute = join(path, ...parts.slice(index).map(() => '..'))
    try {
      rules = await atSpot(confines, { absolute, shown: absolute }, async (spot) =>
        spot.kind === 'directory' ? readIgnoreRules(spot.directory, index, rules) : rules,
      )
    } catch (error) {
      // A parent directory may be hidden although a root inside it is not.
      if (!(error instanceof FileProblem)) throw error
    }
    if (isIgnored(rules, parts.slice(0, index + 1), { isDirectory: true })) return undefined
  }
  return rules
}
