import type { ToolOutput } from '@polylogue/engine'
import { join } from 'node:path'
import type { ToolRun } from '../define-tool.ts'
import { askFor, showPath } from './asked-path.ts'
import { permitOf, type Confines } from './confines.ts'
import { codeOf } from './file-problem.ts'
import type { FoundLine } from './find-lines.ts'
import { compileGlob, type Glob } from './glob.ts'
import type { SearchToolOptions } from './glob-tool.ts'
import type { GrepInput } from './grep-tool.ts'
import { createGrepResults, type GrepResults } from './grep-results.ts'
import { startLineSearcher, type LineSearcher } from './line-searcher.ts'
import { openFileIn, readBytes } from './read-regular-file.ts'
import { searchFiles, type FoundFile } from './search-files.ts'
import { createSearchBudget, type SearchBudget } from './search-limits.ts'

/** How many files are read ahead while others are searched. */
const AT_ONCE = 16

/** Searches the files below a path. Its worker thread and what walks the tree are loaded with the first search. */
export async function searchLines(
  { input: request, workspace, grant, signal }: ToolRun<GrepInput>,
  { confiner, limits }: SearchToolOptions,
): Promise<ToolOutput> {
  signal.throwIfAborted()
  const asked = askFor(workspace, request.path)
  const confines = await confiner.confine(workspace, permitOf(grant))
  const budget = createSearchBudget(limits)
  const results = createGrepResults(request)
  const searcher = startLineSearcher(request, { patternMs: limits.patternMs, signal })
  const isWanted = compileFilter(request.glob)
  const visit = async (files: readonly FoundFile[]): Promise<boolean> => {
    const wanted = files.filter(({ way }) => isWanted(way))
    for (let from = 0; from < wanted.length; from += AT_ONCE) {
      signal.throwIfAborted()
      if (results.isFull() || budget.over() !== undefined) return false
      const some = wanted.slice(from, from + AT_ONCE)
      // Wait for all of them, even if one fails, because their directory is closed afterwards.
      const found = await Promise.allSettled(
        some.map((file) => searchFile(file, { confines, budget, results, searcher, most: request.limit + 1 })),
      )
      for (const [index, file] of some.entries()) results.add(showPath(workspace, file.path), valueOf(found[index]))
    }
    return !results.isFull()
  }
  try {
    await searchFiles(confines, asked, { budget, signal, visit })
  } finally {
    await searcher.stop()
  }
  return { content: results.write(budget) }
}

interface SearchTools {
  readonly confines: Confines
  readonly budget: SearchBudget
  readonly results: GrepResults
  readonly searcher: LineSearcher
  readonly most: number
}

async function searchFile(
  { directory, name }: FoundFile,
  { confines, budget, results, searcher, most }: SearchTools,
): Promise<readonly FoundLine[]> {
  const bytes = await readIfSearchable()
  return bytes ? searcher.search(new Uint8Array(bytes), most) : []

  async function readIfSearchable(): Promise<Buffer | undefined> {
    try {
      return await openFileIn(directory, name, async (file) => {
        const path = join(directory.path, name)
        if (!file.stats.isFile() || confines.isHiddenTwin(path, file.stats)) return undefined
        const twin = confines.guardedTwin(path, file.stats)
        if (twin !== undefined && !confines.isOpen(twin, 'read')) return undefined
        if (file.stats.size > budget.limits.fileBytes) {
          results.leaveOut()
          return undefined
        }
        const { bytes: read } = await readBytes(file, budget.limits.fileBytes)
        budget.spend({ bytes: read.length })
        return read
      })
    } catch (error) {
      // Swapped or removed meanwhile, or not readable.
      if (codeOf(error) === undefined) throw error
      return undefined
    }
  }
}

function valueOf<Value>(settled: PromiseSettledResult<readonly Value[]> | undefined): readonly Value[] {
  if (settled?.status === 'rejected') throw settled.reason
  return settled?.value ?? []
}

/** A pattern without a slash matches only the file name. */
function compileFilter(glob: string | undefined): Glob {
  if (glob === undefined) return () => true
  const isNegated = glob.startsWith('!')
  const pattern = isNegated ? glob.slice(1) : glob
  const matches = compileGlob(pattern.includes('/') ? pattern : `**/${pattern}`) ?? (() => false)
  return (names) => matches(names) !== isNegated
}
