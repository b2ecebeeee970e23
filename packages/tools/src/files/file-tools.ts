import type { Tool } from '@polylogue/engine'
import { createProtectedPaths } from './confines.ts'
import { createEditTool } from './edit-tool.ts'
import { createOneAtATime } from './one-at-a-time.ts'
import { createReadTool } from './read-tool.ts'
import { createWriteTool } from './write-tool.ts'

export interface FileToolsOptions {
  /**
   * Absolute paths that no file tool reads or writes, nor anything below them, whether they exist or not: the server's
   * configuration, its data directory. A root that lies deeper inside one stays usable.
   */
  readonly protectedPaths: readonly string[]
}

/** `Read`, `Write`, `Edit`, `Glob` and `Grep`: they touch the session's workspace and nothing else. */
export function createFileTools(options: FileToolsOptions): readonly Tool[] {
  const protectedPaths = createProtectedPaths(options.protectedPaths)
  const oneAtATime = createOneAtATime()
  return [
    createReadTool({ protectedPaths }),
    createWriteTool({ protectedPaths, oneAtATime }),
    createEditTool({ protectedPaths, oneAtATime }),
  ]
}
