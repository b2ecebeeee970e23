import type { Workspace } from '@polylogue/engine'
import { askFor } from './asked-path.ts'
import { createProtectedPaths } from './confines.ts'
import { openConfined, type OpenFile } from './read-regular-file.ts'

/** Opens files of a workspace as the file tools do: for whatever else reads a file that a client or a model named. */
export interface ConfinedFiles {
  /** The file is open as long as `use` runs. Rejects with a sentence when the path leads outside or to no file. */
  open<Result>(workspace: Workspace, path: string, use: (file: OpenFile) => Promise<Result>): Promise<Result>
}

export function createConfinedFiles(options: { readonly protectedPaths: readonly string[] }): ConfinedFiles {
  const protectedPaths = createProtectedPaths(options.protectedPaths)
  return {
    open: async (workspace, path, use) =>
      openConfined(await protectedPaths.confine(workspace), askFor(workspace, path), use),
  }
}
