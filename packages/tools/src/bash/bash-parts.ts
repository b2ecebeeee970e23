import { join } from 'node:path'
import { writeGitIdentity } from '../git/git-identity.ts'
import { createProtectedSet } from '../protected/protected-set.ts'
import { createSandboxPlanner } from '../sandbox/plan-sandbox.ts'
import type { BashToolOptions } from './bash-options.ts'
import type { BashParts } from './command-place.ts'

export function createBashParts(options: BashToolOptions): BashParts {
  const { protectedSet = createProtectedSet({}), network = false, readable = [] } = options
  const planner = createSandboxPlanner({ protectedSet, network, readable, stateDir: options.stateDir })
  let identity: Promise<string | undefined> | undefined
  const gitIdentity = (): Promise<string | undefined> =>
    (identity ??= makeIdentity(join(options.stateDir, 'gitconfig')))
  return { options, protectedSet, planner, gitIdentity }
}

async function makeIdentity(file: string): Promise<string | undefined> {
  return (await writeGitIdentity(file, process.env)) ? file : undefined
}
