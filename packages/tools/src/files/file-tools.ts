import type { EditorOf, Tool } from '@polylogue/engine'
import type { ProtectedSet } from '../protected/protected-set.ts'
import { createConfiner } from './confines.ts'
import { createEditTool } from './edit-tool.ts'
import { createOneAtATime } from './one-at-a-time.ts'
import { createGlobTool } from './glob-tool.ts'
import { createGrepTool } from './grep-tool.ts'
import { createReadTool } from './read-tool.ts'
import { SEARCH_LIMITS, type SearchLimits } from './search-limits.ts'
import { createWriteTool } from './write-tool.ts'

export interface FileToolsOptions {
  /** Paths that tools never touch, or only if the call's grant names them. Deeper roots stay usable. */
  readonly protectedSet: ProtectedSet
  /** The limits of `Glob` and `Grep`. */
  readonly limits?: Partial<SearchLimits>
  /** The editor whose unsaved text `Read` and `Edit` see, and that writes for `Write` and `Edit`. Absent: the disk. */
  readonly editorOf?: EditorOf | undefined
}

/** `Read`, `Write`, `Edit`, `Glob` and `Grep`: they touch the session's workspace only. */
export function createFileTools(options: FileToolsOptions): readonly Tool[] {
  const confiner = createConfiner(options.protectedSet)
  const limits = { ...SEARCH_LIMITS, ...options.limits }
  const oneAtATime = createOneAtATime()
  const { editorOf } = options
  return [
    createReadTool({ confiner, editorOf }),
    createWriteTool({ confiner, oneAtATime, editorOf }),
    createEditTool({ confiner, oneAtATime, editorOf }),
    createGlobTool({ confiner, limits }),
    createGrepTool({ confiner, limits }),
  ]
}
