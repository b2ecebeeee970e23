import { join } from 'node:path'
import { writeGitIdentity } from '../git/git-identity.ts'
import { createProtectedSet } from '../protected/protected-set.ts'
import { createSandboxPlanner } from '../sandbox/plan-sandbox.ts'
import { DEFAULT_CACHE_MB, createToolCaches } from '../sandbox/tool-caches.ts'
import type { BashToolOptions } from './bash-options.ts'
import type { BashParts } from './command-place.ts'

/** The caches of workspaces, see `removeToolCaches`. */
export const toolCachesDir = (stateDir: string): string => join(stateDir, 'caches')

export function createBashParts(options: BashToolOptions): BashParts {
  const { protectedSet = createProtectedSet({}), readable = [], stateDir, cacheMb = DEFAULT_CACHE_MB } = options
  const planner = createSandboxPlanner({ protectedSet, readable, stateDir })
  const caches = createToolCaches({ folder: toolCachesDir(stateDir), mostBytes: cacheMb * 1024 * 1024 })
  let identity: Promise<string | undefined> | undefined
  const gitIdentity = (): Promise<string | undefined> => (identity ??= makeIdentity(join(stateDir, 'gitconfig')))
  return { options, protectedSet, planner, caches, gitIdentity }
}

async function makeIdentity(file: string): Promise<string | undefined> {
  return (await writeGitIdentity(file, process.env)) ? file : undefined
}
