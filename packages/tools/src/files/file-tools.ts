import type { Tool } from '@polylogue/engine'
import type { EditorOf } from '../editor/editor.ts'
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
  /** Whose unsaved text `Read` and `Edit` see, and who writes for `Write` and `Edit`. Absent: the disk it is. */
  readonly editorOf?: EditorOf | undefined
}

/** `Read`, `Write`, `Edit`, `Glob` and `Grep`: they touch the session's workspace and nothing else. */
export function createFileTools(options: FileToolsOptions): readonly Tool[] {
  const protectedPaths = createProtectedPaths(options.protectedPaths)
  const limits = { ...SEARCH_LIMITS, ...options.limits }
  const oneAtATime = createOneAtATime()
  const { editorOf } = options
  return [
    createReadTool({ protectedPaths, editorOf }),
    createWriteTool({ protectedPaths, oneAtATime, editorOf }),
    createEditTool({ protectedPaths, oneAtATime, editorOf }),
    createGlobTool({ protectedPaths, limits }),
    createGrepTool({ protectedPaths, limits }),
  ]
}
