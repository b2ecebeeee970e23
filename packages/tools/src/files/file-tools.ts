import type { Tool } from '@polylogue/engine'
import { createProtectedPaths } from './confines.ts'
import { createEditTool } from './edit-tool.ts'
import { createOneAtATime } from './one-at-a-time.ts'
import { createGlobTool } from './glob-tool.ts'
import { createGrepTool } from './grep-tool.ts'
import { createReadTool } from './read-tool.ts'
import { SEARCH_LIMITS, type SearchLimits } from './search-limits.ts'
import { createWriteTool } from './write-tool.ts'

export interface FileToolsOptions {
  /**
   * Absolute paths that no file tool reads or writes, nor anything below them, whether they exist or not: the server's
   * configuration, its data directory. A root that lies deeper inside one stays usable.
   */
  readonly protectedPaths: readonly string[]
  /** Of `Glob` and `Grep`. */
  readonly limits?: Partial<SearchLimits>
}

/** `Read`, `Write`, `Edit`, `Glob` and `Grep`: they touch the session's workspace and nothing else. */
export function createFileTools(options: FileToolsOptions): readonly Tool[] {
  const protectedPaths = createProtectedPaths(options.protectedPaths)
  const limits = { ...SEARCH_LIMITS, ...options.limits }
  const oneAtATime = createOneAtATime()
  return [
    createReadTool({ protectedPaths }),
    createWriteTool({ protectedPaths, oneAtATime }),
    createEditTool({ protectedPaths, oneAtATime }),
    createGlobTool({ protectedPaths, limits }),
    createGrepTool({ protectedPaths, limits }),
  ]
}
