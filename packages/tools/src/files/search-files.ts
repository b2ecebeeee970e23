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
  /** Absolute, as it was asked for. */
  readonly path: string
  /** The parts of the path from where the search began. */
  readonly way: readonly string[]
}

export interface FileSearch {
  readonly budget: SearchBudget
  readonly signal: AbortSignal
  /** Gets the files of one directory after the other; `false` ends the search. */
  readonly visit: (files: readonly FoundFile[]) => Promise<boolean>
}

/** One file, or all files below a directory but those that Git ignores. */
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

/** What the directories above say. Nothing if they ignore the start itself: then it was asked for in so many words. */
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
      // A directory above may be hidden though its root below is not.
      if (!(error instanceof FileProblem)) throw error
    }
    if (isIgnored(rules, parts.slice(0, index + 1), { isDirectory: true })) return undefined
  }
  return rules
}
