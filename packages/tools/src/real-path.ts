import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Resolves links in the existing part of the path. The rest need not exist.
 * Only the system's own call holds while another process swaps folders and links: Node's `realpathSync` looks at a name,
 * then reads it as a link, and fails when it has become a folder in between.
 */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    const parent = dirname(path)
    return parent === path ? path : join(realPathOf(parent), basename(path))
  }
}
